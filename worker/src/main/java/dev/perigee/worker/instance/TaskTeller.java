package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.CallPart;
import dev.perigee.worker.tool.TaskReport;
import org.jspecify.annotations.Nullable;

/**
 * Publisher of the states of one call's task, where the request accepts them: the newest, when the
 * server's calls together have room for it, and in any case the last one. For the call's thread.
 */
final class TaskTeller {
    private static final int MOST_ID_CHARACTERS = TaskReport.MAX_ID_CHARACTERS;
    private static final int MOST_CHARACTERS = EventBody.CallProgress.MAX_MESSAGE_CHARACTERS;

    /** Of a long text so much is read: secrets are taken out before it is cut. */
    private static final int READ = 8;

    private final Instance instance;
    private final ToolOrder.Execute order;
    private final ServerRun run;
    private EventBody.@Nullable CallTask untold;

    TaskTeller(Instance instance, ToolOrder.Execute order, ServerRun run) {
        this.instance = instance;
        this.order = order;
        this.run = run;
    }

    /** There is another state. */
    void tell(TaskReport report) {
        var request = order.request();
        if (!request.accepts(CallPart.TASK) || !instance.journal().reaches(EventType.CALL_TASK)) {
            return;
        }
        var message = report.statusMessage();
        untold =
                new EventBody.CallTask(
                        request.requestId(),
                        request.toolPath(),
                        shortened(report.taskId(), MOST_ID_CHARACTERS),
                        report.status().wireName(),
                        message == null ? null : shortened(message, MOST_CHARACTERS));
        if (report.status().isTerminal()) {
            publish();
        } else {
            goOn();
        }
    }

    /** Publishes what there was no room for. */
    void goOn() {
        if (untold != null && run.notices().admitsTask()) {
            publish();
        }
    }

    private void publish() {
        var body = untold;
        if (body != null && instance.journal().appendQuestion(order, body, run.pid(), null)) {
            untold = null;
        }
    }

    private String shortened(String text, int most) {
        var masked = run.masked(text.substring(0, Math.min(text.length(), READ * most)));
        return masked.length() <= most ? masked : masked.substring(0, most - 1) + '…';
    }
}
