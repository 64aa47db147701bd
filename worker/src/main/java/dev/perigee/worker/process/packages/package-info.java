/**
 * Packages of npm and PyPI that servers are made of: what a command line such as {@code npx -y
 * package} means, and installing it once so that its program runs without the wrapper. Instances
 * use {@link dev.perigee.worker.process.packages.PackagePreparer}, {@link
 * dev.perigee.worker.process.packages.GitHubArguments} and the settings; all else stays inside.
 */
@NullMarked
package dev.perigee.worker.process.packages;

import org.jspecify.annotations.NullMarked;
