package dev.perigee.part;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.pattern.CompositeConverter;

/**
 * {@code %visible(...)} in the pattern of text logs: what is in the brackets passes {@link
 * VisibleText}, as one line, or with {@code {block}} behind it as a text of several. Made by
 * Logback, from the files of its configuration.
 */
public final class VisibleLogText extends CompositeConverter<ILoggingEvent> {
    @Override
    protected String transform(ILoggingEvent event, String text) {
        return "block".equals(getFirstOption()) ? VisibleText.block(text) : VisibleText.line(text);
    }
}
