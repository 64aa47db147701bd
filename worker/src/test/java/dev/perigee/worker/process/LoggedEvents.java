package dev.perigee.worker.process;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What one class logs while this is open. */
public final class LoggedEvents extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final Logger logger;

    /** Begins at once. */
    public LoggedEvents(Class<?> of) {
        logger = (Logger) LoggerFactory.getLogger(of);
        start();
        logger.addAppender(this);
    }

    /** Until now, a view that grows. */
    public List<ILoggingEvent> events() {
        return events;
    }

    @Override
    protected void append(ILoggingEvent event) {
        events.add(event);
    }

    @Override
    public void close() {
        logger.detachAppender(this);
    }
}
