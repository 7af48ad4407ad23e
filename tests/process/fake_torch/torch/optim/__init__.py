from .optimizer import Optimizer


class SGD(Optimizer):
    def step(self):
        self.steps += 1


class Nested(SGD):
    """Its step calls the one of its base."""

    def step(self):
        super().step()
