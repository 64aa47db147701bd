/** JMH benchmarks of what every call goes through. */
@NullMarked
package dev.perigee.bench.micro;

import org.jspecify.annotations.NullMarked;
