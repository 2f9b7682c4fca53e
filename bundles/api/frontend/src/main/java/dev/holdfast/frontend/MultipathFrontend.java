package dev.holdfast.frontend;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * A frontend whose protocol supports several paths from a host to one volume and reports their
 * states. Its sessions read the {@link ExportPath} in the export's state. They reject requests by a
 * path that is not {@link AccessState#OPTIMIZED} with a status that makes the host retry by another
 * path, and report each change to the host.
 *
 * @since 2.1
 */
@ConsumerType
public interface MultipathFrontend extends FrontendProvider {}
