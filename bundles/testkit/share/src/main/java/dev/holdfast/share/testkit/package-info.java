/** The conformance kit of servers of shares. */
@Export
@Version("0.1.0")
package dev.holdfast.share.testkit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
