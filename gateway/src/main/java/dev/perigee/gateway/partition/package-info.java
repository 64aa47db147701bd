/**
 * What a gateway does for one partition it owns: claim it, restore it, place it on a worker, carry
 * commands and calls there and events back. Each partition has one owner thread and a mailbox; all
 * of {@link dev.perigee.gateway.partition.PartitionOwner}'s parts run on that thread and share
 * nothing with other partitions but the services of {@link
 * dev.perigee.gateway.partition.PartitionServices}. The records of the state topic are defined here
 * and read nowhere else; {@link dev.perigee.gateway.partition.Whereabouts} is what others may see.
 */
@NullMarked
package dev.perigee.gateway.partition;

import org.jspecify.annotations.NullMarked;
