import pickle


def save(obj, f, pickle_module=pickle):
    if hasattr(f, "write"):
        pickle_module.dump(obj, f)
        return
    with open(f, "wb") as file:
        pickle_module.dump(obj, file)


def load(f, pickle_module=pickle):
    if hasattr(f, "read"):
        return pickle_module.load(f)
    with open(f, "rb") as file:
        return pickle_module.load(file)
