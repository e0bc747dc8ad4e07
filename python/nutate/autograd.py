"""Runs inside of PyTorch: gradients of objectives and of the final state in parameters.

    import torch, nutate.autograd

    m = torch.tensor(15.0, dtype=torch.float64, requires_grad=True)
    end = nutate.autograd.run(model, {"m": m}, ["top.position", "reach"], duration=0.5)
    loss = end["top.position"].square().sum() + end["reach"]
    loss.backward()                       # m.grad

Derivatives are the exact ones of the integrator's steps (Model.sens), carried along with the run; a
backward pass multiplies by them and computes nothing anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Sequence

import numpy as np
import torch

from .errors import UsageError

if TYPE_CHECKING:
    from .model import Model


class _Run(torch.autograd.Function):  # type: ignore[misc]
    """Parameters in, the numbers of all outputs one after the other out."""

    @staticmethod
    def forward(
        ctx: Any,
        model: "Model",
        names: Sequence[str],
        outputs: Sequence[str],
        asked: Mapping[str, Any],
        *values: Any,
    ) -> Any:
        numbers = {name: float(value) for name, value in zip(names, values)}
        wanted = [name for name, need in zip(names, ctx.needs_input_grad[4:]) if need]
        own: Dict[str, Any] = {**asked, "parameters": {**asked.get("parameters", {}), **numbers}}
        objectives = model.objectives
        record = [name for name in outputs if name not in objectives]
        own["record"] = record or ["step_size"]
        result = model.sens(wanted, **own) if wanted else model.run(**own)
        found: List[Any] = []
        slopes: List[Any] = []
        for name in outputs:
            if name in objectives:
                found.append([result.objectives[name]])
                slopes.append([[result.gradients[name][k]] for k in wanted])
                continue
            found.append(np.atleast_1d(result[name][-1]))
            slopes.append([np.atleast_1d(_slope(result, name, k)) for k in wanted])
        ctx.sizes = [len(part) for part in found]
        ctx.names, ctx.wanted = names, wanted
        ctx.slope = torch.tensor(
            np.array([np.concatenate([part[i] for part in slopes]) for i in range(len(wanted))]),
            dtype=torch.float64,
        )
        ctx.kinds = [(value.dtype, value.device) for value in values]
        return torch.tensor(np.concatenate(found), dtype=torch.float64)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Any) -> Any:
        rates = dict(zip(ctx.wanted, ctx.slope @ gradient)) if ctx.wanted else {}
        given = [
            rates[name].to(dtype=kind[0], device=kind[1]) if name in rates else None
            for name, kind in zip(ctx.names, ctx.kinds)
        ]
        return (None, None, None, None, *given)


def _slope(result: Any, name: str, parameter: str) -> Any:
    """The derivative of each number of a quantity at the end: of an orientation that of its
    quaternion."""
    if name in result._places:
        names = [name]
    else:
        names = [f"{name}.{c}" if c else name for c in result.components(name)]
    return np.array([result[f"d({n})/d({parameter})"][-1] for n in names])


def run(
    model: "Model",
    parameters: Mapping[str, Any],
    outputs: Sequence[str],
    **asked: Any,
) -> Dict[str, Any]:
    """Runs a model and returns tensors of float64: objectives, and recorded quantities at the end
    (components,), by name.

    parameters: tensors of one number each. outputs: names of objectives of the model and of what
    can be recorded. asked: arguments of Model.run but for record and every."""
    if not outputs:
        raise UsageError("expected one output at least")
    names = list(parameters)
    tensors = [
        torch.as_tensor(parameters[name], dtype=torch.float64).reshape(())
        if not isinstance(parameters[name], torch.Tensor)
        else parameters[name].reshape(())
        for name in names
    ]
    numbers = _Run.apply(model, names, list(outputs), asked, *tensors)
    found: Dict[str, Any] = {}
    place = 0
    for name in outputs:
        size = model._size(name)
        found[name] = numbers[place] if size == 0 else numbers[place : place + size]
        place += max(size, 1)
    return found
