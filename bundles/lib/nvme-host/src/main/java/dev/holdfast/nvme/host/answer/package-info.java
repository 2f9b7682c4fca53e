/** Responses of controllers: identity, access states, and status codes other than success. */
@Export
@Version("1.0.0")
package dev.holdfast.nvme.host.answer;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
