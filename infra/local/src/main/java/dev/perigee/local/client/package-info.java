/** Creates and checks the topics. Objects here belong to one thread; every wait has a deadline. */
@NullMarked
package dev.perigee.local.client;

import org.jspecify.annotations.NullMarked;
