package dev.holdfast.upgrader.internal;

import org.osgi.framework.Bundle;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceFactory;
import org.osgi.framework.ServiceRegistration;

/** Activator of a bundle that serves clients like the portal; its service is never obtained. */
public final class PortalActivator implements BundleActivator, ServiceFactory<Object> {
  @Override
  public void start(BundleContext context) {
    var unused = context.registerService("dev.holdfast.frontend.Portal", this, null);
  }

  @Override
  public void stop(BundleContext context) {}

  @Override
  public Object getService(Bundle user, ServiceRegistration<Object> registration) {
    throw new UnsupportedOperationException("no client is served");
  }

  @Override
  public void ungetService(Bundle user, ServiceRegistration<Object> registration, Object service) {}
}
