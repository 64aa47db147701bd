package dev.perigee.worker.process;

import java.util.HashMap;
import java.util.Map;

/**
 * Allowance of one tenant's servers together for sockets and pipes that do not count toward their
 * own limits. More counts where all servers use too much together: a tenant with a hundred servers
 * could hold gigabytes unseen otherwise. One for each look; pure, for one thread.
 */
final class TenantAllowance {
    static final long BYTES = 512L << 20;

    private final Map<Tenant, Long> left = new HashMap<>();

    /**
     * The part that counts.
     *
     * @param uncounted bytes of one more tree of that tenant
     */
    long beyond(Tenant tenant, long uncounted) {
        long had = left.getOrDefault(tenant, BYTES);
        left.put(tenant, Math.max(0, had - uncounted));
        return Math.max(0, uncounted - had);
    }
}
