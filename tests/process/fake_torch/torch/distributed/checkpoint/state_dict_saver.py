import os


def save(state_dict, *, checkpoint_id=None):
    os.makedirs(checkpoint_id, exist_ok=True)
    for number, size in enumerate(state_dict.values()):
        with open(os.path.join(checkpoint_id, "__0_%d.distcp" % number), "wb") as file:
            file.write(bytes(size))
            os.fsync(file.fileno())
