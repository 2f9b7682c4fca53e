/** The conformance kit of backup targets, and stores that inject faults. */
@Export
@Version("0.1.0")
package dev.holdfast.backuptarget.testkit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
