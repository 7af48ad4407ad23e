#!/usr/bin/python3
"""The job of bench/scenarios/1000-hosts.json as one writes it with SimPy (Debian: python3-simpy3): a process for each
loader worker, trainer and checkpoint writer of each host. SimPy has no bandwidth, so how transfers share ports and the
pool comes on top.

Usage: simpy_processes.py [HOSTS [STEPS]]; prints what the report of a run calls so, in seconds."""

import sys

import simpy

# Numbers of the scenario.
NIC = 25e9                          # nic.rate, bytes/s
POOL, WRITES = 500e9, 400e9         # ost
SAMPLE = 40.0 * 1024 * 1024         # dataset.sample
STATE = 14.0 * 70e9                 # 14 bytes for each parameter
COMPUTE, RELEASE, COPY = 0.1, 20e-6, 55e9  # step.compute, barrier.base, gpu.copy
WORKERS, PREFETCH, SAVE_EVERY = 2, 2, 100
REST = 1e-3                         # bytes: what rounding leaves of a transfer
LAST = 9                            # priority of what comes after all else of a date


class Pool:
    """Max-min shares: ports, then what is written, then the pool. Shared anew once per date."""

    def __init__(self, env, hosts):
        self.env, self.flows, self.since, self.asked, self.alarm = env, [], 0.0, False, 0
        self.reads = [0] * hosts

    def transfer(self, size, host, reads):
        flow = [size, 0.0, host, reads, self.env.event()]
        self.flows.append(flow)
        self.reads[host] += reads
        self.share_later()
        return flow[4]

    def share_later(self):
        if self.asked:
            return
        self.asked = True
        event = self.env.event()
        event._ok, event._value = True, None
        event.callbacks.append(lambda _: self.share())
        self.env.schedule(event, priority=LAST)

    def advance(self):
        passed, self.since = self.env.now - self.since, self.env.now
        for flow in self.flows:
            flow[0] -= flow[1] * passed

    def share(self):
        self.asked = False
        self.advance()
        saves = sum(1 for flow in self.flows if not flow[3])
        write = min(NIC, WRITES / max(saves, 1))
        caps = {}
        for flow in self.flows:
            flow[1] = NIC / self.reads[flow[2]] if flow[3] else write
            caps[flow[1]] = caps.get(flow[1], 0) + 1
        left, capacity = len(self.flows), POOL
        for cap in sorted(caps):
            if cap * left >= capacity:
                break
            capacity -= cap * caps[cap]
            left -= caps[cap]
        level = capacity / left if left else NIC
        for flow in self.flows:
            flow[1] = min(flow[1], level)
        self.alarm += 1
        if self.flows:
            first = min(flow[0] / flow[1] for flow in self.flows)
            self.env.timeout(first, self.alarm).callbacks.append(self.ring)

    def ring(self, event):
        if event.value != self.alarm:
            return
        self.advance()
        ended = [flow for flow in self.flows if flow[0] <= REST]
        self.flows = [flow for flow in self.flows if flow[0] > REST]
        for flow in ended:
            self.reads[flow[2]] -= flow[3]
            flow[4].succeed()
        self.share_later()


class Barrier:
    def __init__(self, env, parties):
        self.env, self.parties, self.here, self.event = env, parties, 0, env.event()

    def wait(self):
        self.here += 1
        event = self.event
        if self.here == self.parties:
            self.here, self.event = 0, self.env.event()
            event.succeed()
        return event


def load(pool, host, worker, steps, slots, ready):
    for _ in range(worker, steps, WORKERS):
        yield slots.get(1)
        yield pool.transfer(SAMPLE, host, True)
        yield ready.put(1)


def write_saves(env, pool, host, hosts, steps, to_save, buffer, out):
    for _ in range(steps // SAVE_EVERY):
        yield to_save.get(1)
        began = env.now
        yield pool.transfer(STATE / hosts, host, False)
        if host == 0:
            out.append(env.now - began)
        yield buffer.put(1)


def train(env, host, hosts, steps, slots, ready, barrier, to_save, buffer, out):
    for step in range(steps):
        began = env.now
        yield ready[step % WORKERS].get(1)
        yield slots[step % WORKERS].put(1)
        yield env.timeout(COMPUTE)
        yield barrier.wait()
        yield env.timeout(RELEASE)
        if host == 0:
            out.append(env.now - began)
        if (step + 1) % SAVE_EVERY == 0:
            yield buffer.get(1)
            yield env.timeout(STATE / hosts / COPY)
            yield to_save.put(1)


def main():
    hosts, steps = (int(sys.argv[i]) if len(sys.argv) > i else 1000 for i in (1, 2))
    env = simpy.Environment()
    pool, barrier, times, saves = Pool(env, hosts), Barrier(env, hosts), [], []
    for host in range(hosts):
        slots = [simpy.Container(env, init=PREFETCH) for _ in range(WORKERS)]
        ready = [simpy.Container(env) for _ in range(WORKERS)]
        to_save, buffer = simpy.Container(env), simpy.Container(env, init=1)
        for worker in range(WORKERS):
            env.process(load(pool, host, worker, steps, slots[worker], ready[worker]))
        env.process(train(env, host, hosts, steps, slots, ready, barrier, to_save, buffer, times))
        env.process(write_saves(env, pool, host, hosts, steps, to_save, buffer, saves))
    env.run()
    print(f"step.time {sum(times) / len(times):.12f}\nstep.time.max {max(times):.12f}\nsteps {len(times)}")
    if saves:
        print(f"checkpoint.duration {sum(saves) / len(saves):.12f}")


if __name__ == "__main__":
    main()
