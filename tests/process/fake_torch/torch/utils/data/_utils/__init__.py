from . import fetch, worker
