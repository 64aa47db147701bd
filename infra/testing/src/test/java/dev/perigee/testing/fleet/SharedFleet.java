package dev.perigee.testing.fleet;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests that harm nobody the one fleet that they share: one gateway, two workers. Each test
 * uses teams and users of its own. Parameters of type {@link FleetUnderTest} and {@link Backend}.
 */
final class SharedFleet implements ParameterResolver {

    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(SharedFleet.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        var type = parameter.getParameter().getType();
        return type == FleetUnderTest.class || type == Backend.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        var fleet =
                context.getRoot()
                        .getStore(NAMESPACE)
                        .computeIfAbsent("fleet", key -> start(), FleetUnderTest.class);
        return parameter.getParameter().getType() == Backend.class ? fleet.backend() : fleet;
    }

    private static FleetUnderTest start() {
        try {
            return FleetUnderTest.named("shared-" + System.getProperty("test.fork", "1"))
                    .workers(2)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
