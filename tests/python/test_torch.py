"""Gradients through runs, in PyTorch."""

import numpy as np
import torch

import nutate
import nutate.autograd
from conftest import TOP

TEXT = (
    TOP.read_text()
    + """objectives:
  low: {type: final, of: top.position.z}
  work: {type: integral, of: pivot.force.x^2}
"""
)


def test_gradcheck():
    model = nutate.loads(TEXT)
    values = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (15.0, 1.0)]

    def end(m, arm):
        found = nutate.autograd.run(
            model,
            {"m": m, "arm": arm},
            ["top.position", "top.orientation", "low", "energy.total"],
            duration=0.05,
        )
        return tuple(found.values())

    assert torch.autograd.gradcheck(end, values, eps=1e-5, atol=1e-5, rtol=1e-4)


def test_backward_and_optimisers():
    model = nutate.loads(TEXT)
    arm = torch.tensor(1.1, dtype=torch.float64, requires_grad=True)
    found = nutate.autograd.run(model, {"arm": arm, "m": 15}, ["low"], duration=0.05)
    found["low"].backward()
    result = model.sens(["arm"], duration=0.05, arm=1.1)
    assert arm.grad.item() == result.gradients["low"]["arm"]
    assert found["low"].item() == result.objectives["low"]

    target = model.run(duration=0.05, arm=1.0)["top.position"][-1]
    optimiser = torch.optim.LBFGS(
        [arm],
        max_iter=20,
        line_search_fn="strong_wolfe",
        tolerance_grad=1e-12,
        tolerance_change=1e-14,
    )

    def loss():
        optimiser.zero_grad()
        end = nutate.autograd.run(model, {"arm": arm}, ["top.position"], duration=0.05)
        miss = (end["top.position"] - torch.tensor(target)).square().sum()
        miss.backward()
        return miss

    optimiser.step(loss)
    assert abs(arm.item() - 1.0) < 1e-6


def test_nothing_is_derived_where_nothing_is_asked_for():
    model = nutate.loads(TEXT)
    end = nutate.autograd.run(model, {"m": 15.0}, ["top.position"], duration=0.01)
    assert not end["top.position"].requires_grad
    assert np.array_equal(end["top.position"].numpy(), model.run(duration=0.01)["top.position"][-1])
