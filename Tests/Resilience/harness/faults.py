"""Faults of the service, its PostgreSQL, its standby, its network, its clock and its stores. Each fault ends with all
parts restored."""

import time


class Faults:
    """Applies one fault at a time to the parts of a run."""

    def __init__(self, service, postgres, database, network, shops, chance):
        self.service, self.postgres, self.shops, self.chance = service, postgres, shops, chance
        # The proxies in front of the database and of the service.
        self.database, self.network = database, network
        self.all = {
            "service-kill": self.service_kill, "service-freeze": self.service_freeze,
            "postgres-kill": self.postgres_kill, "postgres-immediate": self.postgres_immediate,
            "postgres-freeze": self.postgres_freeze, "session-kill": self.session_kill,
            "database-reset": self.database_reset, "database-silence": self.database_silence,
            "database-lost-answers": self.database_lost_answers,
            "client-reset": self.client_reset, "client-silence": self.client_silence,
            "client-lost-answers": self.client_lost_answers,
            "store-hang": self.store_hang, "store-lie": self.store_lie, "store-flap": self.store_flap,
        }

    def add_standby(self, standby, replication):
        """Adds the faults of a standby that answers reads; `replication` is the proxy through which it follows."""
        self.standby, self.replication = standby, replication
        self.all |= {
            "standby-freeze": self.standby_freeze, "standby-kill": self.standby_kill, "standby-lag": self.standby_lag,
            "standby-cut": self.standby_cut,
        }

    def add_clock(self, clock):
        """Adds steps of the service's clock."""
        self.clock = clock
        self.all["clock-step"] = self.clock_step

    def choose(self, count):
        """Returns the given number of faults in random order; none is repeated before all have been used."""
        kinds = []
        while len(kinds) < count:
            kinds += self.chance.sample(list(self.all), len(self.all))
        return kinds[:count]

    def pause(self, shortest, longest):
        time.sleep(self.chance.uniform(shortest, longest))

    def _freezes(self, part, longest):
        part.freeze()
        try:
            self.pause(1, longest)
        finally:
            part.thaw()

    # The service

    def service_kill(self):
        self.service.kill()
        self.pause(0, 0.5)
        self.service.start()

    def service_freeze(self):
        self._freezes(self.service, 4)

    # PostgreSQL

    def postgres_kill(self):
        self.postgres.kill(everything=self.chance.random() < 0.5)
        self.pause(0, 1.5)
        self.postgres.start()

    def postgres_immediate(self):
        self.postgres.stop_immediately()
        self.pause(0, 1.5)
        self.postgres.start()

    def postgres_freeze(self):
        self._freezes(self.postgres, 6)

    def session_kill(self):
        self.postgres.kill_backend(self.chance.choice)

    # The standby

    def standby_freeze(self):
        self._freezes(self.standby, 6)

    def standby_kill(self):
        self.standby.kill()
        self.pause(0, 3)
        self.standby.start()

    def standby_lag(self):
        self.standby.lag(self.chance.choice(("30ms", "700ms", "5s", "60s")))
        self.pause(2, 8)
        self.standby.lag("0")

    def standby_cut(self):
        self.replication.swallow()
        self.pause(1, 8)
        self.replication.work(with_reset=True)

    # The service's clock

    def clock_step(self):
        self.clock.set(self.chance.choice((-5, 5)))
        self.pause(1, 4)
        self.clock.set(0)

    # The network between the service and PostgreSQL, and between clients and the service

    def database_reset(self):
        self._resets(self.database)

    def database_silence(self):
        self._silence(self.database)

    def database_lost_answers(self):
        self._lost_answers(self.database)

    def client_reset(self):
        self._resets(self.network)

    def client_silence(self):
        self._silence(self.network)

    def client_lost_answers(self):
        self._lost_answers(self.network)

    def _resets(self, proxy):
        for _ in range(self.chance.randint(1, 4)):
            proxy.reset()
            self.pause(0, 0.3)

    def _silence(self, proxy):
        proxy.swallow()
        self.pause(1, 5)
        proxy.work(with_reset=self.chance.random() < 0.5)

    def _lost_answers(self, proxy):
        for _ in range(self.chance.randint(1, 3)):
            proxy.lose_answers()
            self.pause(0.05, 0.6)
            proxy.work()
            self.pause(0, 0.3)

    # The stores

    def store_hang(self):
        self.shops.fail(kind="hang", count=self.chance.randint(1, 3))
        self._until_struck()

    def store_lie(self):
        """The store returns invalid responses and false ones: it denies a receipt that it issued."""
        lies = [{"kind": "html"}, {"kind": "truncated"}, {"status": 200, "body": '{"status":0}'}, {"status": 21003},
                {"status": 200, "body": "[]"}, {"status": 21002}]
        for lie in self.chance.sample(lies, 3):
            self.shops.fail(**lie, count=self.chance.randint(1, 3))
        self._until_struck()

    def store_flap(self):
        for _ in range(3):
            self.shops.fail(**self.chance.choice([
                {"kind": "reset"}, {"status": 503}, {"status": 500}, {"status": 21199, "is_retryable": True},
                {"status": 429}, {"delay_ms": 1500},
            ]), count=self.chance.randint(1, 4))
            self.pause(0.3, 0.8)
            self.shops.work()
            self.pause(0.1, 0.3)

    def _until_struck(self):
        self.pause(1.5, 3)
        self.shops.work()
