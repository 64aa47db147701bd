package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.link.HeldQuestion;
import dev.perigee.protocol.link.ToolOrder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Way of one call's questions to the journal, and of their ends to the call.
 *
 * @param handedOver whether another worker goes on with the call
 * @param whenExpired ends the call since nobody answered; must not block
 */
record InputOutlet(
        Instance instance,
        ToolOrder.Execute order,
        BooleanSupplier handedOver,
        Runnable whenExpired)
        implements CallInput.Outlet {
    @Override
    public boolean publish(
            EventBody.CallInputRequired question, @Nullable Long pid, @Nullable HeldQuestion held) {
        var journal = instance.journal();
        return journal.reaches(question.type())
                && journal.appendQuestion(order, question, pid, held);
    }

    @Override
    public void expired() {
        whenExpired.run();
    }

    @Override
    public void ended(String inputId, CallInput.Fate how) {
        instance.endedQuestions().add(order.request().requestId(), inputId, how);
        if (!handedOver.getAsBoolean()) {
            instance.journal().holds(order, null);
        }
    }
}
