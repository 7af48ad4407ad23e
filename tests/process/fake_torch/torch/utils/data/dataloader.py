import multiprocessing
import random

from . import _utils


class Dataset:
    pass


class IterableDataset(Dataset):
    pass


class SequentialSampler:
    def __init__(self, dataset):
        self.dataset = dataset

    def __iter__(self):
        return iter(range(len(self.dataset)))


class RandomSampler(SequentialSampler):
    def __iter__(self):
        return iter(random.sample(range(len(self.dataset)), len(self.dataset)))


class _InfiniteConstantSampler:
    def __iter__(self):
        while True:
            yield None


class DataLoader:
    def __init__(self, dataset, batch_size=1, shuffle=False, num_workers=0, collate_fn=None, pin_memory=False):
        self.dataset, self.batch_size, self.num_workers = dataset, batch_size, num_workers
        self.prefetch_factor = 2 if num_workers else None
        self.persistent_workers, self.pin_memory = False, pin_memory
        self.collate_fn = collate_fn or list
        self.streams = isinstance(dataset, IterableDataset)
        self.sampler = (_InfiniteConstantSampler() if self.streams else
                        RandomSampler(dataset) if shuffle else SequentialSampler(dataset))

    def __iter__(self):
        return (_MultiProcessingDataLoaderIter if self.num_workers else _SingleProcessDataLoaderIter)(self)


class _BaseDataLoaderIter:
    def __init__(self, loader):
        self._reset(loader, first_iter=True)

    def _reset(self, loader, first_iter=False):
        self._loader = loader
        self._sampler_iter = iter(loader.sampler)

    def __iter__(self):
        return self

    def _indices(self):
        indices = [index for _, index in zip(range(self._loader.batch_size), self._sampler_iter)]
        if not indices:
            raise StopIteration
        return indices

    def __next__(self):
        return self._next_data()


def fetcher(loader):
    kind = _utils.fetch._IterableDatasetFetcher if loader.streams else _utils.fetch._MapDatasetFetcher
    return kind(loader.dataset, True, loader.collate_fn, False)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    def __init__(self, loader):
        super().__init__(loader)
        self._dataset_fetcher = fetcher(loader)

    def _next_data(self):
        return self._dataset_fetcher.fetch(self._indices())


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Workers are forked, take indices in turn, and end with the pass."""

    def __init__(self, loader):
        super().__init__(loader)
        context = multiprocessing.get_context("fork")
        self._queues, self._results, self._workers = [], [], []
        self._sent = self._taken = 0
        for number in range(loader.num_workers):
            self._queues.append(context.SimpleQueue())
            self._results.append(context.SimpleQueue())
            self._workers.append(context.Process(target=_utils.worker._worker_loop, daemon=True, args=(
                loader, number, self._queues[-1], self._results[-1], fetcher)))
            self._workers[-1].start()
        for _ in range(2 * loader.num_workers):
            self._send()

    def _send(self):
        try:
            indices = self._indices()
        except StopIteration:
            return
        self._queues[self._sent % len(self._queues)].put(indices)
        self._sent += 1

    def _next_data(self):
        if self._taken == self._sent:
            for queue, worker in zip(self._queues, self._workers):
                queue.put(None)
                worker.join()
            raise StopIteration
        data = self._results[self._taken % len(self._results)].get()
        self._taken += 1
        self._send()
        return data
