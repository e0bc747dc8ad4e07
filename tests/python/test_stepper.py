"""Motions step by step, laws of Python, threads."""

import copy
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import nutate
from conftest import ROOT, TOP
from nutate import forces, joints, keys

# ---- steps ----------------------------------------------------------------------------------------


def test_steps_are_those_of_a_run(top):
    expected = top.run(duration=0.05, every=0)
    with top.stepper() as s:
        for row in range(1, 51):
            s.step(1e-3)
            for name in ("top.position", "pivot.force"):  # times differ by their rounding
                assert np.allclose(s[name], expected[name][row], rtol=1e-9, atol=1e-12)
        assert s["energy.total"] == pytest.approx(expected["energy.total"][-1], rel=1e-12)
        assert s.state.q.shape == (7,) and s.state.lambda_.shape == (3,)
        assert s.statistics["steps"] == 50


def test_what_dies_at_the_next_step_is_a_copy(top):
    with top.stepper() as s:
        state, position = s.state, s["top.position"]
        before = state.q.copy(), position.copy()
        s.step()
        assert np.array_equal(state.q, before[0]) and np.array_equal(position, before[1])
        assert not np.array_equal(s.state.q, state.q)


def test_saving_changes_nothing_and_restoring_gives_the_same_bits(top):
    with top.stepper() as s, top.stepper() as other:
        s.advance(0.1)
        saved = pickle.loads(pickle.dumps(s.save()))
        s.advance(0.2)
        expected = s.state
        s.restore(saved)
        assert s.t == saved.t
        s.advance(0.2)
        assert s.state == expected
        other.restore(saved)
        other.advance(0.2)
        assert other.state == expected
        with pytest.raises(nutate.UsageError):
            s.restore(nutate.SavedState(b"nothing", {}, 0, False))


ARM = """nutate: 1
parameters: {motor: 0}
gravity: [0, 0, 0]
bodies: {arm: {mass: 1, inertia: [0.5, 0.1, 0.5], position: [1, 0, 0]}}
joints: {hinge: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}}
forces: {drive: {type: joint_torque, joint: hinge, value: motor}}
simulation: {duration: 1, step: 1e-3}
output: {record: [hinge.angle, hinge.rate]}
"""


def test_loads():
    with nutate.loads(ARM).stepper() as s:
        s.load("motor", 3)
        assert s.state.vdot[-1] == pytest.approx(2)  # torque / (0.5 + 1)
        s.advance(1)
        assert s["hinge.rate"] == pytest.approx(2, rel=1e-5)
        assert s["hinge.angle"] == pytest.approx(1, rel=1e-5)
        saved = s.save()
        s.load({"motor": -3})
        s.advance(2)
        assert s["hinge.rate"] == pytest.approx(0, abs=1e-5)
        s.restore(saved)
        s.advance(2)
        assert s["hinge.rate"] == pytest.approx(4, rel=1e-5)
        with pytest.raises(nutate.UsageError, match="no parameter 'moto'; did you mean 'motor'"):
            s.load("moto", 1)


def test_loads_by_the_names_of_forces():
    text = ARM.replace("value: motor", "value: 2*motor + sin(t)").replace(
        "forces: {", "forces: {push: {type: force, on: arm, at: [0, 0, 0], value: [0, 0, t]}, "
    )
    with nutate.loads(text).stepper() as s, nutate.loads(ARM).stepper() as other:
        s.advance(0.1)
        before = s.save()
        s.load("drive", 3)
        s.load({"motor": 7, "push": [0, 0, 0]})
        held = pickle.loads(pickle.dumps(s.save()))
        other.start(s.state)
        other.load("motor", 3)
        s.advance(0.5)
        other.advance(0.5)
        assert np.allclose(s.state.q, other.state.q, rtol=0, atol=1e-14)  # the same torque
        end = s.state
        s.restore(held)
        s.load("push", (0, 0, 0))
        s.advance(0.5)
        assert s.state == end
        s.restore(before)  # as the model says again
        s.advance(0.5)
        with nutate.loads(text).stepper() as plain:
            plain.advance(0.1)
            plain.advance(0.5)
            assert s.state == plain.state
        s.restore(held)
        s.advance(0.5)
        assert s.state == end
        for name, load, words in (
            ("push", 3.0, "takes such a load: value: expected a list"),
            ("drive", [1, 2, 3], "value: expected a number or an expression, got a list of 3"),
            ("drvie", 1.0, "no parameter 'drvie'.*no force of this name"),
        ):
            with pytest.raises(nutate.UsageError, match=words):
                s.load(name, load)
        assert s.state == end


def test_a_controller_in_the_loop():
    """A sampled position controller brings the arm to rest at 0.5 rad."""
    with nutate.loads(ARM).stepper() as s:
        for k in range(1, 401):
            s.load("motor", 30 * (0.5 - s["hinge.angle"]) - 12 * s["hinge.rate"])
            s.advance(k * 0.02)
        assert s["hinge.angle"] == pytest.approx(0.5, abs=1e-6)
        assert s["hinge.rate"] == pytest.approx(0, abs=1e-6)


def test_parameters_and_other_beginnings(top):
    with top.stepper(m=12, method="generalized-alpha-soi2") as s:
        s.advance(0.1)
        end = top.run(m=12, duration=0.1, method="generalized-alpha-soi2")["top.position"][-1]
        assert np.allclose(s["top.position"], end, rtol=0, atol=1e-12)
        s.set(arm=1.2)
        assert s.t == 0 and s["top.position"][1] == 1.2
        s.advance(0.05)
        state = s.state
    with top.stepper(m=12, arm=1.2, method="generalized-alpha-soi2") as s:
        s.start(state)
        assert s.t == state.t and np.array_equal(s.state.q, state.q)


def test_failures_leave_the_last_accepted_step():
    text = ARM.replace("value: motor", 'value: "motor*sqrt(0.5 - hinge.angle)"')
    with nutate.loads(text, settings={"motor": 5}).stepper() as s:
        with pytest.raises(nutate.RunError) as caught:
            for _ in range(2000):
                s.step()
        assert 0 < s.t < 2 and s["hinge.angle"] <= 0.5
        assert caught.value.time == pytest.approx(s.t)


def test_steppers_are_neither_copied_nor_pickled(top):
    with top.stepper() as s:
        for use in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="neither copied nor pickled"):
                use(s)
        s.step()


def test_closed_and_busy(top):
    with top.stepper() as s:
        pass
    for use in (s.save, lambda: s.t, lambda: s.state, lambda: s["top.position"]):
        with pytest.raises(nutate.UsageError, match="closed"):
            use()
    with pytest.raises(nutate.UsageError):
        s.step()
    with top.stepper() as s:
        other = threading.Thread(target=s.advance, args=(20.0,))
        other.start()
        with pytest.raises(nutate.UsageError, match="another thread"):
            while other.is_alive():
                s.step(1e-9)
        other.join()


# ---- laws -----------------------------------------------------------------------------------------

BALL = """nutate: 1
bodies: {ball: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 1], velocity: [1, 0, 0]}}
forces: {air: {type: python, between: [ground, ball], law: drag}}
simulation: {duration: 2, step: 1e-3, method: generalized-alpha-soi2}
output: {record: [ball.position, ball.velocity, air.force]}
"""


def test_a_force_of_python_is_that_of_an_expression():
    expected = nutate.loads(
        BALL.replace(
            "{type: python, between: [ground, ball], law: drag}",
            "{type: force, on: ball, at: [0, 0, 1], value: [-0.3*ball.velocity.x, "
            "-0.3*ball.velocity.y, -0.3*ball.velocity.z]}",
        )
    ).run()
    result = nutate.loads(BALL, laws={"drag": lambda t, a, b: -0.3 * b.velocity}).run()
    assert np.allclose(result.data, expected.data, rtol=0, atol=1e-9)


def test_action_and_reaction():
    """A spring with a moment by Python between two free bodies keeps momentum and angular momentum."""

    def pull(t, a, b):
        d = b.position - a.position
        return -5 * d, 0.2 * (a.angular_velocity - b.angular_velocity)

    model = nutate.Model(
        gravity=[0, 0, 0],
        bodies={
            "one": keys.Body(mass=1, inertia=[1, 2, 2.5], angular_velocity=[1, 2, 3]),
            "two": keys.Body(mass=3, inertia=[2, 1, 2], position=[1, 0.5, 0], velocity=[0, 1, 1]),
        },
        forces={"pull": forces.Python(between=["one", "two"], law=pull)},
        simulation=keys.Simulation(duration=1, step=1e-2, method="rkmk-dop853"),
        output=keys.Output(record=["momentum", "angular_momentum"]),
    )
    result = model.run()
    assert np.allclose(result["momentum"], result["momentum"][0], atol=1e-12)
    assert np.allclose(result["angular_momentum"], result["angular_momentum"][0], atol=1e-9)
    assert pickle.loads(pickle.dumps(model.run())).data.tobytes() == result.data.tobytes()


def arm_of(b):
    return b.rotation @ np.array([0.0, -1.0, 0.0])


def ball_joint(t, a, b):
    return b.position + arm_of(b)


def ball_joint_with_jacobian(t, a, b):
    x, y, z = arm_of(b)
    jacobian = np.zeros((3, 12))
    jacobian[:, 6:9] = np.eye(3)
    jacobian[:, 9:] = [[0, z, -y], [-z, 0, x], [y, -x, 0]]
    return b.position + arm_of(b), jacobian


@pytest.mark.parametrize("law", [ball_joint, ball_joint_with_jacobian])
def test_a_constraint_of_python_is_that_of_the_library(top, law):
    text = TOP.read_text().replace(
        "{type: spherical, between: [ground, top], at: [0, 0, 0]}",
        "{type: python_joint, between: [ground, top], law: hold, rows: 3}",
    )
    model = nutate.loads(text, laws={"hold": law})
    result, expected = model.run(duration=0.1), top.run(duration=0.1)
    for name, within in (("top.position", 1e-10), ("pivot.force", 1e-4), ("energy", 1e-6)):
        assert np.allclose(result[name], expected[name], rtol=0, atol=within), name
    assert pickle.loads(pickle.dumps(model)).run(duration=0.01).data.shape == (2, 15)


class Trouble(Exception):
    pass


def test_exceptions_come_back_as_they_were_raised():
    raised = Trouble("wind")

    def drag(t, a, b):
        if t > 0.5:
            raise raised
        return -0.3 * b.velocity

    model = nutate.loads(BALL, laws={"drag": drag})
    with pytest.raises(Trouble) as caught:
        model.run()
    assert caught.value is raised
    with model.stepper() as s:
        with pytest.raises(Trouble):
            s.advance(1)
        assert s.t == pytest.approx(0.5, abs=2e-3)
        model.laws["drag"] = lambda t, a, b: np.zeros(3)
        s.advance(1)  # goes on from there
        assert s.t == 1
    model.laws["drag"] = lambda t, a, b: [1, 2]
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        model.run()


def test_a_law_that_is_missing_has_a_place():
    with pytest.raises(nutate.ModelError, match="law 'drag' is not given") as caught:
        nutate.loads(BALL)
    assert caught.value.line == 3


# ---- threads and processes ------------------------------------------------------------------------


def test_eight_threads_on_one_model_give_the_bits_of_one(top):
    top.run()
    values = [{"m": 10 + k, "arm": 1 + k / 20} for k in range(8)]
    expected = [top.run(parameters=v).data.tobytes() for v in values]
    found = [None] * 8

    def work(k):
        for _ in range(5):
            found[k] = top.run(parameters=values[k]).data.tobytes()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


def test_the_lock_is_released_while_computing(top):
    """Python goes on while a run of some tenths of a second is under way."""
    counted = [0]
    thread = threading.Thread(target=lambda: top.run(duration=500, record=["energy"], every=100))
    thread.start()
    while thread.is_alive():
        counted[0] += 1
    thread.join()
    assert counted[0] > 10000


def python(code, *arguments, **options):
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        **options,
    )


def test_interrupted_runs_keep_what_they_had():
    code = """
import os, signal, sys, threading, time, nutate

def stop():
    main = threading.main_thread().ident
    while sys._current_frames()[main].f_code.co_name != "go":
        time.sleep(0.01)
    begun = time.process_time()  # it has computed for two tenths of a second
    while time.process_time() < begun + 0.2:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

model = nutate.load(sys.argv[1])
threading.Thread(target=stop).start()
try:
    model.run(duration=1e5, every=1)
except KeyboardInterrupt as stopped:
    assert isinstance(stopped, nutate.Interrupted)
    assert 10 < len(stopped.result.time) and stopped.result.final.t < 1e5, stopped.result
    assert stopped.result.time[-1] == stopped.result.final.t
    print("stopped", stopped)
"""
    done = python(code, TOP)
    assert done.stdout.startswith("stopped interrupted at t ="), done.stderr


def test_handlers_of_other_signals_raise_through_a_run():
    code = """
import signal, sys, nutate
class Late(Exception): pass
def late(*unused): raise Late
signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    nutate.load(sys.argv[1]).run(duration=1e5, every=1e3)
except Late:
    print("late")
"""
    assert python(code, TOP).stdout == "late\n"


FORK = """
import os, sys, nutate
model = nutate.load(sys.argv[1])
bits = model.run(duration=0.1).data.tobytes()
stepper = model.stepper(threads=int(sys.argv[2]))
child = os.fork()
if child == 0:
    try:
        assert model.run(duration=0.1).data.tobytes() == bits
        print("runs", flush=True)
    except nutate.ForkError as error:
        print(error, flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""


def test_fork_after_threads_is_refused():
    assert python(FORK, TOP, 1).stdout == "runs\n"
    assert "spawn" in python(FORK, TOP, 2).stdout


def test_spawn_works(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        f"""
import multiprocessing, nutate

def end(model):
    return model.run(duration=0.1).data.tobytes()

if __name__ == "__main__":
    model = nutate.load({str(TOP)!r})
    model.parameters["m"] = 12
    stepper = model.stepper(threads=2)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.map(end, [model] * 4)
    print(found == [end(model)] * 4)
"""
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert done.stdout == "True\n", done.stderr


def test_a_second_interpreter_is_refused():
    code = """
import nutate
import _xxsubinterpreters as interpreters
other = interpreters.create()
try:
    interpreters.run_string(other, "import nutate")
except interpreters.RunFailedError as error:
    print(error)
"""
    assert "another interpreter" in python(code).stdout


def test_ctrl_c_is_heard_within_a_step():
    """A step that a method divides into millions of its own, and a run whose steps it is asked."""
    code = """
import os, signal, sys, threading, time, nutate

def stop():
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)

chosen = {"method": "rkmk-dop853", "tolerance": 1e-8}
stepper = nutate.load(sys.argv[1]).stepper(options={}, **chosen)
for k in range(2):
    begun = time.perf_counter()
    threading.Thread(target=stop).start()
    try:
        stepper.step(1e6)
    except nutate.Interrupted as stopped:
        assert 0.2 < time.perf_counter() - begun < 5, time.perf_counter() - begun
        assert 0 < stepper.t < 1e6
        print("stopped", stopped)
stepper.step(1e-3)  # it goes on
print("went on")
"""
    done = python(code, TOP)
    assert done.stdout.count("stopped interrupted at t =") == 2, done.stderr
    assert done.stdout.endswith("went on\n"), done.stderr
