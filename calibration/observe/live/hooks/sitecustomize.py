"""Put in front of a job's own by `stallcast observe`: watches PyTorch, then steps aside.

When the job imports the parts of torch that load data, train and save, the hooks of stallcast_torch.py are laid
around them. Nothing else is imported or changed, and whatever goes wrong here is kept from the job.
"""
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
WATCHED = ("torch.utils.data.dataloader", "torch.utils.data._utils.fetch", "torch.optim.optimizer",
           "torch.serialization", "torch.distributed.checkpoint.state_dict_saver",
           "torch.distributed.checkpoint.state_dict_loader")


def hooks():
    """The module with the hooks; imported once, from this folder."""
    from importlib.util import module_from_spec, spec_from_file_location
    modules = []
    names = ["stallcast_record", "stallcast_sample", "stallcast_device", "stallcast_job", "stallcast_saves",
             "stallcast_torch"]
    if os.path.exists(os.path.join(HERE, "calls")):  # strace watches
        names.append("stallcast_marks")
    for name in names:
        if name not in sys.modules:
            spec = spec_from_file_location(name, os.path.join(HERE, name + ".py"))
            module = module_from_spec(spec)
            sys.modules[name] = module
            spec.loader.exec_module(module)
        modules.append(sys.modules[name])
    return modules[-1]


class Finder(object):
    """Lets the other finders find, and adds to what they load."""

    def __init__(self):
        self.busy = set()

    def find_spec(self, name, path=None, target=None):
        if name not in WATCHED or name in self.busy:
            return None
        self.busy.add(name)
        try:
            for finder in list(sys.meta_path):
                find = None if finder is self else getattr(finder, "find_spec", None)
                spec = find(name, path, target) if find else None
                if spec is not None:
                    self.add(name, spec.loader)
                    return spec
        except Exception:  # the import goes on without us
            pass
        finally:
            self.busy.discard(name)
        return None

    @staticmethod
    def add(name, loader):
        execute = loader.exec_module

        def exec_module(module):
            execute(module)
            try:
                del loader.exec_module
                began = time.perf_counter()
                hooks().lay(name, module)
                sys.modules["stallcast_record"].record.spent(time.perf_counter() - began)
            except Exception:
                pass

        try:
            loader.exec_module = exec_module
        except Exception:
            pass


def hidden():
    """The sitecustomize that would have been found without this one, or None."""
    from importlib.machinery import PathFinder
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or os.curdir) != HERE]
    return PathFinder.find_spec("sitecustomize", sys.path)


def start():
    try:
        if sys.version_info >= (3, 8):
            sys.meta_path.insert(0, Finder())
        return hidden()
    except Exception:
        return None


SPEC = start()
if SPEC is not None and SPEC.loader is not None:
    from importlib.util import module_from_spec
    sys.modules["sitecustomize"] = module_from_spec(SPEC)
    SPEC.loader.exec_module(sys.modules["sitecustomize"])  # its errors are the job's
