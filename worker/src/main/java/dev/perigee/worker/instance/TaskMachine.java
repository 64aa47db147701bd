package dev.perigee.worker.instance;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.worker.tool.TaskReport;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * State of one server's task, and when its server is asked for it again. The first terminal report
 * counts, and none is asked for behind it, so no report takes an end back. Takes the reports from
 * its caller; pure but for its state, for one thread.
 *
 * <pre>
 *   WORKING ◀──▶ ASKING
 *      └──────┬─────┘
 *             ├──▶ COMPLETED, FAILED, CANCELLED  by a report
 *             └──▶ GIVEN_UP                      by this side
 * </pre>
 */
final class TaskMachine {
    /** Between two times that the server is asked, whatever it wants. */
    static final Duration LEAST_POLL = Duration.ofMillis(500);

    static final Duration MOST_POLL = Duration.ofMinutes(1);

    /** Where the server does not say. */
    static final Duration USUAL_POLL = Duration.ofSeconds(1);

    /** Times in a row that it cannot be asked, before that is the end. */
    static final int MOST_FAILURES = 8;

    /** States of a task. */
    enum State {
        WORKING,
        ASKING,
        COMPLETED,
        FAILED,
        CANCELLED,
        GIVEN_UP;

        boolean isOver() {
            return switch (this) {
                case WORKING, ASKING -> false;
                case COMPLETED, FAILED, CANCELLED, GIVEN_UP -> true;
            };
        }
    }

    private final String taskId;
    private State state = State.WORKING;
    private @Nullable String message;
    private @Nullable Duration poll;
    private int failures;

    /**
     * A task that was created. One that is said to be over by then is asked for once, soon, since
     * its result is there and not here.
     */
    TaskMachine(TaskReport created) {
        taskId = created.taskId();
        message = created.statusMessage();
        poll = created.status().isTerminal() ? Duration.ZERO : created.poll();
    }

    String taskId() {
        return taskId;
    }

    State state() {
        return state;
    }

    /**
     * The server reports.
     *
     * @return whether state or message are others now
     * @throws InvalidRecordException when it is a report of another task, for people
     * @throws IllegalStateException when the task is over
     */
    boolean reported(TaskReport report) {
        require();
        if (!report.taskId().equals(taskId)) {
            throw InvalidRecordException.invalid("it is of another task");
        }
        var before = state;
        var said = message;
        failures = 0;
        state =
                switch (report.status()) {
                    case WORKING -> State.WORKING;
                    case INPUT_REQUIRED -> State.ASKING;
                    case COMPLETED -> State.COMPLETED;
                    case FAILED -> State.FAILED;
                    case CANCELLED -> State.CANCELLED;
                };
        message = report.statusMessage();
        poll = report.poll();
        return before != state || !Objects.equals(said, message);
    }

    /**
     * The server could not be asked.
     *
     * @return false when that was once too often
     * @throws IllegalStateException when the task is over
     */
    boolean missed() {
        require();
        return ++failures <= MOST_FAILURES;
    }

    /**
     * This side does not wait for it any more.
     *
     * @throws IllegalStateException when the task is over
     */
    void giveUp() {
        require();
        state = State.GIVEN_UP;
    }

    /**
     * Until the server is asked again: as it wants within bounds, and longer each time that it
     * could not be asked.
     *
     * @throws IllegalStateException when the task is over
     */
    Duration pause() {
        require();
        var wanted = poll == null ? USUAL_POLL : poll;
        long millis = Math.clamp(wanted.toMillis(), LEAST_POLL.toMillis(), MOST_POLL.toMillis());
        return Duration.ofMillis(Math.min(millis << failures, MOST_POLL.toMillis()));
    }

    private void require() {
        if (state.isOver()) {
            throw new IllegalStateException("the task is over: " + state);
        }
    }
}
