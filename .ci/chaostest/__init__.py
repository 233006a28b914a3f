"""What .ci/chaos, .ci/two-instances, .ci/pooler and .ci/failover are made of."""
