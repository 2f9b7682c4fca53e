package dev.holdfast.frontend;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * A frontend whose protocol gives a host several paths to one volume and reports to it which of
 * them serve. Its sessions read the {@link ExportPath} in the export's state: they refuse requests
 * by a path that is not {@link AccessState#OPTIMIZED} in such a way that the host repeats them by
 * another path, and report each change to the host.
 *
 * @since 2.1
 */
@ConsumerType
public interface MultipathFrontend extends FrontendProvider {}
