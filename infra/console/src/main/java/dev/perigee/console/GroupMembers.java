package dev.perigee.console;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.MemberDescription;
import org.jspecify.annotations.Nullable;

/**
 * Asks which gateways the group has and which partitions it gave to each.
 *
 * @param suffix what the gateways' consumers append to the gateway's id
 * @param topic whose assignment counts
 */
record GroupMembers(Admin admin, String group, String suffix, String topic) {
    private static final int ANSWER_MS = 2_000;

    /** Partitions by gateway id; null when no broker answers. */
    @Nullable Map<String, Set<Integer>> ask() throws InterruptedException {
        try {
            var asked =
                    admin.describeConsumerGroups(
                            Set.of(group),
                            new DescribeConsumerGroupsOptions().timeoutMs(ANSWER_MS));
            var members = new TreeMap<String, Set<Integer>>();
            for (var member : asked.all().get().values().iterator().next().members()) {
                members.computeIfAbsent(gateway(member), ignored -> new TreeSet<>())
                        .addAll(partitions(member));
            }
            return members;
        } catch (ExecutionException e) {
            return null;
        }
    }

    private String gateway(MemberDescription member) {
        var client = member.clientId();
        return client.endsWith(suffix)
                ? client.substring(0, client.length() - suffix.length())
                : client;
    }

    private Set<Integer> partitions(MemberDescription member) {
        var partitions = new TreeSet<Integer>();
        for (var assigned : member.assignment().topicPartitions()) {
            if (assigned.topic().equals(topic)) {
                partitions.add(assigned.partition());
            }
        }
        return partitions;
    }
}
