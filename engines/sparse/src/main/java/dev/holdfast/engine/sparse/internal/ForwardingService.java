package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.sparse.internal.serve.ForwardServer;
import dev.holdfast.engine.sparse.internal.serve.ForwardingTargets;
import dev.holdfast.frontend.Portal;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/** Serves the requests that other nodes forward to volumes of this engine. */
@Component(service = BindableService.class)
public final class ForwardingService implements BindableService {
  private final ForwardingTargets volumes;
  private final ForwardServer server;

  /** Starts without sessions. */
  @Activate
  public ForwardingService(
      @Reference SparseEngine engine, @Reference Portal portal, BundleContext context) {
    this.volumes = engine.admitted();
    this.server = new ForwardServer(volumes, portal, ReplicaService.usesTls(context));
  }

  @Override
  public ServerServiceDefinition bindService() {
    return server.bindService();
  }

  /** Ends all sessions. Their nodes reconnect when a bundle offers this service again. */
  @Deactivate
  public void stop() {
    volumes.endAll();
  }
}
