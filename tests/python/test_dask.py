"""Sweeps over a dask cluster whose workers are killed."""

import os
import signal
import threading
import time

import numpy as np

import nutate
from conftest import TOP


def test_every_row_comes_out_once_though_workers_are_killed():
    from distributed import Client, LocalCluster

    model = nutate.load(TOP)
    vary = {"m": np.linspace(10, 20, 12).tolist(), "arm": np.linspace(0.9, 1.1, 10).tolist()}
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        worker_dashboard_address=None,
    ) as cluster, Client(cluster) as client:
        killed = []
        done = threading.Event()

        def kill():
            while len(killed) < 2 and not done.is_set():
                pids = client.run(os.getpid, on_error="ignore")
                tasks = client.processing()
                busy = [pid for worker, pid in pids.items() if tasks.get(worker)]
                fresh = [pid for pid in busy if pid not in killed]
                if fresh:
                    os.kill(fresh[0], signal.SIGKILL)
                    killed.append(fresh[0])
                else:
                    time.sleep(0.01)

        thread = threading.Thread(target=kill)
        thread.start()
        table = model.sweep(
            vary,
            duration=40,
            record=["top.position"],
            every=40,
            executor=client.get_executor(retries=10),
            chunk=4,
        )
        done.set()
        thread.join()
    assert len(killed) > 0
    assert table["row"].tolist() == list(range(120))
    assert (table["status"] == 0).all()
    for row in (0, 57, 119):
        end = model.run(
            duration=40, record=["top.position"], every=40, m=table["m"][row], arm=table["arm"][row]
        )
        assert np.array_equal(table["top.position"][row], end["top.position"][-1])
