"""What chaos, two-instances, pooler and failover are made of."""
