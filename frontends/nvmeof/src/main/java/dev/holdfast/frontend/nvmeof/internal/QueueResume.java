package dev.holdfast.frontend.nvmeof.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.SessionState;
import dev.holdfast.frontend.nvmeof.internal.auth.Authentication;
import dev.holdfast.frontend.nvmeof.internal.controller.ControllerId;
import dev.holdfast.frontend.nvmeof.internal.controller.ControllerState;
import dev.holdfast.frontend.nvmeof.internal.controller.Controllers;
import dev.holdfast.frontend.nvmeof.internal.controller.NvmeController;
import dev.holdfast.frontend.nvmeof.internal.controller.NvmeNamespace;
import dev.holdfast.frontend.nvmeof.internal.discovery.DiscoveryPages;
import dev.holdfast.frontend.nvmeof.internal.page.DiscoveryLog.Security;
import dev.holdfast.frontend.nvmeof.internal.queue.AdminPages;
import dev.holdfast.frontend.nvmeof.internal.queue.AdminQueue;
import dev.holdfast.frontend.nvmeof.internal.queue.FusedCommands;
import dev.holdfast.frontend.nvmeof.internal.queue.IoQueue;
import dev.holdfast.frontend.nvmeof.internal.queue.PduWriter;
import dev.holdfast.frontend.nvmeof.internal.queue.Queue;
import dev.holdfast.frontend.nvmeof.internal.queue.QueueShape;
import dev.holdfast.frontend.nvmeof.internal.queue.SessionStateCodec;
import dev.holdfast.frontend.nvmeof.internal.queue.VolumePages;

/** Creates the queue of a session that resumes another's state. */
final class QueueResume {
  private final FrontendConnection connection;
  private final Controllers controllers;
  private final HostPolicy policy;

  QueueResume(FrontendConnection connection, Controllers controllers, HostPolicy policy) {
    this.connection = connection;
    this.controllers = controllers;
    this.policy = policy;
  }

  Queue queue(SessionState state, PduWriter link) throws StorageException {
    QueueShape shape = SessionFields.shape(state);
    ControllerId id = SessionFields.controller(state);
    boolean admin = shape.number() == 0;
    ControllerState left = admin ? ControllerState.of(state) : null;
    NvmeController controller =
        controllers.resume(
            id, SessionFields.host(state), SessionFields.required(state, SessionFields.HOST_NAME));
    Queue queue;
    if (admin) {
      AdminPages pages = pages(id, controller, state);
      queue = new AdminQueue(link, controller, shape, controllers, pages);
      controller.resumed(left);
    } else {
      IoQueue io = new IoQueue(link, controller, shape, controllers, volume(id));
      io.fused().resume(SessionStateCodec.pairs(state.text(FusedCommands.FUSED).orElse("")));
      queue = io;
    }
    queue.authenticate(
        Authentication.resume(
            policy.secrets(connection, id.subsystem()),
            controller.hostName(),
            id.subsystem(),
            state.text(Queue.AUTHENTICATION).orElse("")),
        controllers);
    queue.startAt((int) state.number(Queue.HEAD, 0));
    controller.rejoin(shape.number(), queue);
    return queue;
  }

  private AdminPages pages(ControllerId id, NvmeController controller, SessionState state)
      throws StorageException {
    return id.discovery()
        ? new DiscoveryPages(
            connection.export().exports(),
            controller,
            controllers,
            policy.discoverable(),
            Security.of(connection.security().tls()))
        : VolumePages.resume(controller, controllers, volume(id), state);
  }

  private NvmeNamespace volume(ControllerId id) throws StorageException {
    return new QueueConnect(connection, controllers, policy)
        .attached(id.subsystem())
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.NOT_FOUND, "the session's connection has no export"));
  }
}
