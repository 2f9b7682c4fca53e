package dev.holdfast.frontend.nvmeof.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportState;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.nvmeof.internal.auth.Authentication;
import dev.holdfast.frontend.nvmeof.internal.controller.ControllerId;
import dev.holdfast.frontend.nvmeof.internal.controller.Controllers;
import dev.holdfast.frontend.nvmeof.internal.controller.NvmeController;
import dev.holdfast.frontend.nvmeof.internal.controller.NvmeNamespace;
import dev.holdfast.frontend.nvmeof.internal.discovery.DiscoveryPages;
import dev.holdfast.frontend.nvmeof.internal.page.DiscoveryLog.Security;
import dev.holdfast.frontend.nvmeof.internal.queue.AdminPages;
import dev.holdfast.frontend.nvmeof.internal.queue.AdminQueue;
import dev.holdfast.frontend.nvmeof.internal.queue.Connect;
import dev.holdfast.frontend.nvmeof.internal.queue.IoQueue;
import dev.holdfast.frontend.nvmeof.internal.queue.PduWriter;
import dev.holdfast.frontend.nvmeof.internal.queue.Queue;
import dev.holdfast.frontend.nvmeof.internal.queue.QueueShape;
import dev.holdfast.frontend.nvmeof.internal.queue.VolumePages;
import dev.holdfast.frontend.nvmeof.internal.wire.ConnectData;
import dev.holdfast.frontend.nvmeof.internal.wire.NvmeErrors;
import dev.holdfast.frontend.nvmeof.internal.wire.NvmeNames;
import dev.holdfast.frontend.nvmeof.internal.wire.RefusedException;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;
import java.util.Optional;

/**
 * Creates the queue of a Connect command. An I/O queue joins its controller, which may arrive later
 * while a bundle is replaced.
 */
final class QueueConnect {
  private final FrontendConnection connection;
  private final Controllers controllers;
  private final HostPolicy policy;

  QueueConnect(FrontendConnection connection, Controllers controllers, HostPolicy policy) {
    this.connection = connection;
    this.controllers = controllers;
    this.policy = policy;
  }

  /** Returns the admin queue of a new controller. Called by the connection's thread only. */
  Queue admin(Connect connect, PduWriter link) throws RefusedException {
    ConnectData data = connect.data();
    QueueShape shape = shape(connect);
    Authentication authentication = policy.authentication(connection, data);
    if (data.subsystem().equals(NvmeNames.DISCOVERY)) {
      HostPolicy.checkChannel(connection.security(), data);
      connection.established();
      NvmeController controller = controllers.discover(data.host(), data.hostName());
      AdminPages pages =
          new DiscoveryPages(
              connection.export().exports(),
              controller,
              controllers,
              policy.discoverable(),
              Security.of(connection.security().tls()));
      AdminQueue queue = new AdminQueue(link, controller, shape, controllers, pages);
      queue.authenticate(authentication, controllers);
      return begin(connect, queue);
    }
    NvmeNamespace volume = attach(connect);
    NvmeController controller = create(volume, data);
    AdminPages pages = VolumePages.begin(controller, controllers, volume);
    AdminQueue queue = new AdminQueue(link, controller, shape, controllers, pages);
    queue.authenticate(authentication, controllers);
    return begin(connect, queue);
  }

  private static Queue begin(Connect connect, AdminQueue queue) {
    queue.controller().created(connect.keepAliveMillis());
    queue.controller().rejoin(connect.queue(), queue);
    queue.look();
    return queue;
  }

  private NvmeController create(NvmeNamespace volume, ConnectData data) throws RefusedException {
    try {
      return controllers.create(volume.subsystem(), volume.state(), data.host(), data.hostName());
    } catch (StorageException e) {
      throw new RefusedException(NvmeErrors.error(e.code()), e.getMessage());
    }
  }

  /** Attaches the connection to the volume. Called by the connection's thread only. */
  NvmeNamespace attach(Connect connect) throws RefusedException {
    HostPolicy.checkChannel(connection.security(), connect.data());
    // Checks the rights of the host to the volume.
    Authentication unused = policy.authentication(connection, connect.data());
    String subsystem = connect.data().subsystem();
    Optional<BlockDevice> device = NvmeNames.export(subsystem).flatMap(connection.export()::attach);
    return volume(subsystem, device).orElseThrow(connect::noSubsystem);
  }

  /** Returns the volume that the connection uses. */
  Optional<NvmeNamespace> attached(String subsystem) {
    return volume(subsystem, connection.export().attached());
  }

  private Optional<NvmeNamespace> volume(String subsystem, Optional<BlockDevice> device) {
    Optional<ExportState> state = connection.export().state();
    return device.flatMap(found -> state.map(texts -> new NvmeNamespace(subsystem, found, texts)));
  }

  /**
   * Returns an I/O queue, or empty while its controller's admin queue is absent. Any thread may
   * call this.
   */
  Optional<Queue> io(Connect connect, NvmeNamespace volume, PduWriter link)
      throws RefusedException {
    Authentication authentication = policy.authentication(connection, connect.data());
    ControllerId id = new ControllerId(volume.subsystem(), connect.data().controller());
    Optional<NvmeController> found = controllers.find(id).filter(NvmeController::headed);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    NvmeController controller = found.get();
    connect.requireHost(controller);
    if (!controller.ready()) {
      throw new RefusedException(Status.CONNECT_BUSY, "the controller is not enabled");
    }
    IoQueue queue = new IoQueue(link, controller, shape(connect), controllers, volume);
    queue.authenticate(authentication, controllers);
    if (!controller.join(connect.queue(), queue)) {
      throw connect.queueInUse();
    }
    return Optional.of(queue);
  }

  private static QueueShape shape(Connect connect) {
    return new QueueShape(connect.queue(), connect.entries(), connect.flowControl());
  }
}
