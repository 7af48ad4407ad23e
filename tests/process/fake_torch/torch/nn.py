class Parameter:
    def __init__(self, value):
        self.value = value


def zeros(count):
    return [0.0] * count
