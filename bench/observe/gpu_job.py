"""A training on a GPU that is observed and predicted: `python3 gpu_job.py FOLDER [--workers N] ...`, with PyTorch and torchvision.

JPEG images of FOLDER (`--make N` writes them, as many as there are cores at a time), decoded and cropped by the
loader's workers; a ResNet in bfloat16. Prints one line of JSON of what it measured by itself: the mean step and first
batch, and how long the GPU works for a step, from a run in which the batch stays on it (`--batches same`). Nothing here
knows that it may be watched.
"""

import argparse
import json
import multiprocessing
import os
import time

WARM = 5  # steps that the GPU's libraries need to choose their kernels


def write_image(path):
    import numpy
    from PIL import Image

    random = numpy.random.default_rng(int.from_bytes(os.path.basename(path).encode(), "big") % 2**63)
    coarse = random.integers(0, 255, (24, 32, 3), numpy.uint8)
    image = numpy.asarray(Image.fromarray(coarse).resize((500, 375), Image.BICUBIC), numpy.int16)
    noise = random.integers(-12, 12, image.shape)
    Image.fromarray(numpy.clip(image + noise, 0, 255).astype(numpy.uint8)).save(path, quality=90)


def make(folder, count):
    os.makedirs(folder, exist_ok=True)
    with multiprocessing.Pool() as pool:
        pool.map(write_image, [os.path.join(folder, f"{i:05d}.jpg") for i in range(count)], 32)


def images_of(folder, count, timed=False):
    """A dataset of `count` of the folder's images; `timed` gives what each took, too: on the clock and of its core."""
    import torch
    from PIL import Image
    from torchvision import transforms

    class Images(torch.utils.data.Dataset):
        def __init__(self):
            names = sorted(os.listdir(folder))
            self.files = [os.path.join(folder, names[i % len(names)]) for i in range(count)]
            self.transform = transforms.Compose([
                transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.ToTensor(),
                transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))])

        def __len__(self):
            return len(self.files)

        def __getitem__(self, index):
            began = time.monotonic(), time.thread_time()
            with Image.open(self.files[index]) as image:
                sample = self.transform(image.convert("RGB")), index % 1000
            return (*sample, time.monotonic() - began[0], time.thread_time() - began[1]) if timed else sample

    return Images()


def loader_of(dataset, batch, workers):
    from torch.utils.data import DataLoader

    return DataLoader(dataset, batch_size=batch, shuffle=True, num_workers=workers, pin_memory=True, drop_last=True)


def sgd_of(model):
    import torch

    return torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)


def learn(model, optimizer, images, labels):
    """One step on a batch that is where the model is; its loss."""
    import torch

    with torch.autocast(images.device.type, torch.bfloat16):
        loss = torch.nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    return loss


def train(args):
    import torch
    import torchvision

    device = torch.device(args.device)
    model = getattr(torchvision.models, args.model)().to(device, memory_format=torch.channels_last)
    optimizer = sgd_of(model)
    loader = loader_of(images_of(args.folder, args.batch * args.steps), args.batch, args.workers)

    def given():
        if args.batches == "same":
            batch = next(iter(loader))
            return (batch for _ in range(args.steps))
        return iter(loader)

    began = time.monotonic()
    first, ends, saves = None, [], []
    for images, labels in given():
        if first is None:
            first = time.monotonic() - began
        images = images.to(device, non_blocking=True, memory_format=torch.channels_last)
        labels = labels.to(device, non_blocking=True)
        loss = learn(model, optimizer, images, labels)
        if args.log:
            loss.item()  # waits for the GPU
        ends.append(time.monotonic())
        if args.save and len(ends) % args.save == 0:
            at = time.monotonic()
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, args.folder + ".save")
            saves.append(time.monotonic() - at)
            ends[-1] = time.monotonic()
    if args.device == "cuda":
        torch.cuda.synchronize()
    ends[-1] = time.monotonic()
    print(json.dumps({
        "step_s": (ends[-1] - ends[WARM - 1] - sum(saves)) / (len(ends) - WARM), "steps": len(ends), "first_batch_s": first,
        "whole_s": ends[-1] - began, "save_s": sum(saves) / len(saves) if saves else None,
        "gpu": torch.cuda.get_device_name() if args.device == "cuda" else args.device, "torch": torch.__version__}))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--make", type=int, help="write so many images, and nothing else")
    parser.add_argument("--model", default="resnet152")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--batches", choices=("read", "same"), default="read")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--log", action="store_true", help="wait for each step's loss")
    parser.add_argument("--save", type=int, default=0, help="save every so many steps")
    args = parser.parse_args()
    if args.make:
        make(args.folder, args.make)
    else:
        train(args)


if __name__ == "__main__":
    main()
