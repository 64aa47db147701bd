package dev.perigee.testkit;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;

/**
 * The fleet of {@link PerigeeTest} for the time of a launcher session: a build tool may run each
 * class by itself, but in one session. JUnit closes the session's store, and the fleet with it.
 */
final class SharedPerigeeFleet
        implements BeforeAllCallback, TestInstancePreConstructCallback, ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(SharedPerigeeFleet.class);

    @Override
    public void beforeAll(ExtensionContext context) throws InterruptedException {
        context.getStore(ExtensionContext.StoreScope.LAUNCHER_SESSION, NAMESPACE)
                .computeIfAbsent("fleet", _ -> PerigeeFleet.shared().enter());
        PerigeeFleet.shared().start();
    }

    /** An instance for all tests of a class is made before what is before all of them. */
    @Override
    public void preConstructTestInstance(
            TestInstanceFactoryContext factory, ExtensionContext context)
            throws InterruptedException {
        beforeAll(context);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return PerigeeFleet.gives(parameter);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return PerigeeFleet.shared().given(parameter);
    }
}
