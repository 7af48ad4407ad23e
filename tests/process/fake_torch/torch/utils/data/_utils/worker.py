import os

_worker_info = None


def _worker_loop(loader, number, indices, results, fetcher):
    global _worker_info
    _worker_info = (number, loader.num_workers)
    fetch = fetcher(loader).fetch
    parent = os.getppid()
    while True:
        while not indices._reader.poll(0.1):
            if os.getppid() != parent:
                return
        batch = indices.get()
        if batch is None:
            return
        results.put(fetch(batch))
