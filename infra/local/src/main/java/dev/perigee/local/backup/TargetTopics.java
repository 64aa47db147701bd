package dev.perigee.local.backup;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Topics to restore into, as they were found, and the decision whether that may be done. Pure.
 *
 * @param partitions of each topic; those that are missing are not in it
 * @param used those of the backup that have records
 * @param group of the gateways
 * @param members how many gateways are in it
 * @param waiting commands and requests that gateways would read first, about
 */
record TargetTopics(
        TopicNames names,
        SortedMap<Topic, Integer> partitions,
        Set<Topic> used,
        String group,
        int members,
        long waiting) {

    TargetTopics {
        partitions = Collections.unmodifiableSortedMap(new TreeMap<>(partitions));
        used = Collections.unmodifiableSet(new TreeSet<>(used));
    }

    /**
     * Reasons why a backup is not restored here, each with what to do; empty where it may be.
     *
     * @param overwrite whether topics may have records
     */
    List<String> refusals(BackupHeader backup, boolean overwrite) {
        var refusals = new ArrayList<String>();
        int wanted = backup.partitions().getOrDefault(Topic.STATE, 0);
        var missing = needed(backup).stream().filter(it -> !partitions.containsKey(it)).toList();
        if (!missing.isEmpty()) {
            refusals.add(
                    "There is no topic %s: create all by 'perigee topics --partitions %d'"
                            .formatted(named(missing), wanted));
        }
        var others =
                partitions.entrySet().stream()
                        .filter(each -> each.getKey().isProcessPartitioned())
                        .filter(each -> each.getValue() != wanted)
                        .map(each -> names.of(each.getKey()) + " has " + each.getValue())
                        .toList();
        if (!others.isEmpty()) {
            refusals.add(
                    ("The backup is of a fleet with %d partitions, but %s: a user's state is in the partition of the user's"
                                    + " key. Delete these topics and create them by 'perigee topics --partitions %d'")
                            .formatted(wanted, String.join(", ", others), wanted));
        }
        if (members > 0) {
            refusals.add(
                    "%d gateways of the group %s run there: stop them first, they would not notice what is restored"
                            .formatted(members, group));
        }
        if (!used.isEmpty() && !overwrite) {
            refusals.add(
                    ("There are records on %s already: restore where there are none, or write over them with --overwrite."
                                    + " Keys that the backup lacks would stay")
                            .formatted(named(used)));
        }
        return refusals;
    }

    /** Topics that have to be there. */
    static List<Topic> needed(BackupHeader backup) {
        return Arrays.stream(Topic.values())
                .filter(
                        topic ->
                                topic.isProcessPartitioned()
                                        || backup.partitions().containsKey(topic))
                .toList();
    }

    private String named(Iterable<Topic> topics) {
        var all = new ArrayList<Topic>();
        topics.forEach(all::add);
        return all.stream().map(names::of).collect(Collectors.joining(", "));
    }
}
