/**
 * A deterministic simulation of reconcilers on several nodes, with crashes, lost and late messages
 * and wrong clocks, for the crash tests of reconcilers; and a context for single calls of one.
 */
@Export
@Version("0.1.0")
package dev.holdfast.controller.testkit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
