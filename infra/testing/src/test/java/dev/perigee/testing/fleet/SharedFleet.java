package dev.perigee.testing.fleet;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests that harm nobody the one fleet that they share: one gateway, two workers. Each test
 * uses teams and users of its own. Parameters of type {@link FleetUnderTest} and {@link Backend}.
 * The fleet lives as long as the JVM runs tests; what a class leaves installed is removed.
 */
final class SharedFleet implements ParameterResolver, AfterAllCallback {

    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(SharedFleet.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        var type = parameter.getParameter().getType();
        return type == FleetUnderTest.class || type == Backend.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        var fleet = store(context).computeIfAbsent("fleet", key -> start(), FleetUnderTest.class);
        return parameter.getParameter().getType() == Backend.class ? fleet.backend() : fleet;
    }

    @Override
    public void afterAll(ExtensionContext context) {
        var fleet = store(context).get("fleet", FleetUnderTest.class);
        if (fleet != null) {
            fleet.backend().uninstallAll();
        }
    }

    /** Each class is a run of its own for the build; the session has them all. */
    private static ExtensionContext.Store store(ExtensionContext context) {
        return context.getStore(ExtensionContext.StoreScope.LAUNCHER_SESSION, NAMESPACE);
    }

    private static FleetUnderTest start() {
        try {
            return FleetUnderTest.named("shared-" + ProcessHandle.current().pid())
                    .workers(2)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
