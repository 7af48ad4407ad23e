from .dataloader import DataLoader, Dataset, IterableDataset
