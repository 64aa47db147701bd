/**
 * Reads dead letters and puts them back where they came from, once each, for the console and the
 * command line. Objects here belong to one thread.
 *
 * <p>A letter that was put back is marked by a record in its own partition of dead-letters, written
 * in the same transaction. There is one transactional id for all: who begins a run ends any other,
 * and only then reads which letters are marked, so that none is put back twice.
 */
@NullMarked
package dev.perigee.gateway.deadletter;

import org.jspecify.annotations.NullMarked;
