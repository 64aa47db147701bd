package dev.perigee.worker.process;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingLong;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Usage of a shared resource by one process tree, and the decision which tree is ended where all
 * together use too much: of the tenant whose trees use the most together, the largest tree. A
 * tenant with many small servers cannot have the larger one of another ended in their place. Pure.
 *
 * @param <T> how the tree is known
 * @param tenant whose it is
 * @param used by it, in the unit of the limit
 */
record SharedUse<T>(T tree, Tenant tenant, long used) {

    /**
     * Tree to end, and why.
     *
     * @param used by it
     * @param tenantUsed by all trees of its tenant
     * @param allUsed by all trees
     */
    record Excess<T>(T tree, long used, long tenantUsed, long allUsed) {}

    /** Null where all together are within the limit; 0 is no limit. */
    static <T> @Nullable Excess<T> beyond(long limit, List<SharedUse<T>> all) {
        long sum = all.stream().mapToLong(SharedUse::used).sum();
        return limit == 0 || sum <= limit ? null : largest(all);
    }

    /** Who is ended, whatever the limit; null where there is none. */
    static <T> @Nullable Excess<T> largest(List<SharedUse<T>> all) {
        if (all.isEmpty()) {
            return null;
        }
        long sum = all.stream().mapToLong(SharedUse::used).sum();
        var byTenant =
                all.stream().collect(groupingBy(SharedUse::tenant, summingLong(SharedUse::used)));
        var most = Collections.max(byTenant.entrySet(), Map.Entry.comparingByValue());
        var largest =
                Collections.max(
                        all.stream().filter(it -> it.tenant().equals(most.getKey())).toList(),
                        Comparator.comparingLong(SharedUse::used));
        return new Excess<>(largest.tree(), largest.used(), most.getValue(), sum);
    }
}
