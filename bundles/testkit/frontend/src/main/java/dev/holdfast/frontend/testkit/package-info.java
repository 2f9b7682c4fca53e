/**
 * Conformance tests of frontends on the portal. Extend each {@code …Contract} with a class that
 * passes a {@link dev.holdfast.frontend.testkit.FrontendFixture} to its constructor.
 */
@Export
@Version("0.1.0")
package dev.holdfast.frontend.testkit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
