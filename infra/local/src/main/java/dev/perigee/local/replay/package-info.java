/**
 * Copies the commands of one cluster into another, so that staging can be shown what production was
 * told, and compares what became of them.
 *
 * <pre>
 *   source ──▶ SourceReader ──▶ RecordJudge ──▶ Pace ──▶ Rewriter ──▶ TargetWriter ──▶ target
 *              (in time order)  (selected,      (when)   (ids, times,  (records and checkpoint
 *                                refused)                 secrets)      in one transaction)
 * </pre>
 *
 * {@link dev.perigee.local.replay.Replay} ties these together; what decides knows neither Kafka
 * clients nor clocks. Nothing here writes to the source, not even offsets of a group.
 */
@NullMarked
package dev.perigee.local.replay;

import org.jspecify.annotations.NullMarked;
