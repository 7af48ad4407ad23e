class Optimizer:
    def __init__(self, params, lr=0.1):
        self.params, self.lr, self.steps = list(params), lr, 0

    def step(self):
        raise NotImplementedError
