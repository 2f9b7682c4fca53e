package dev.holdfast.frontend.nvmeof.internal.queue;

import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.nvmeof.internal.auth.Authentication;
import dev.holdfast.frontend.nvmeof.internal.auth.AuthenticationCommands;
import dev.holdfast.frontend.nvmeof.internal.controller.ControllerQueue;
import dev.holdfast.frontend.nvmeof.internal.controller.Controllers;
import dev.holdfast.frontend.nvmeof.internal.controller.NvmeController;
import dev.holdfast.frontend.nvmeof.internal.wire.AdminResult;
import dev.holdfast.frontend.nvmeof.internal.wire.Command;
import dev.holdfast.frontend.nvmeof.internal.wire.CommandData;
import dev.holdfast.frontend.nvmeof.internal.wire.CompletionEntry;
import dev.holdfast.frontend.nvmeof.internal.wire.RefusedException;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;
import java.util.Map;
import java.util.Optional;

/**
 * A connected queue: registers commands in the order of their capsules, and executes them when
 * their data are complete.
 */
public abstract class Queue implements ControllerQueue {
  public static final String HEAD = "head";
  public static final String AUTHENTICATION = "authentication";

  private final PduWriter link;
  private final NvmeController controller;
  private final QueueShape shape;
  private Optional<Authentication> authentication = Optional.empty();
  private volatile int head;

  Queue(PduWriter link, NvmeController controller, QueueShape shape) {
    this.link = link;
    this.controller = controller;
    this.shape = shape;
  }

  final PduWriter link() {
    return link;
  }

  public final NvmeController controller() {
    return controller;
  }

  public final QueueShape shape() {
    return shape;
  }

  /** Registers a received capsule whose data may arrive later. */
  public void arrived(Command command) {
    head = (head + 1) % shape.entries();
    controller.heard();
  }

  /** Sets the host and the controller of this queue. Called before its first command. */
  public final void authenticate(Authentication ofHost, Controllers controllers) {
    authentication = Optional.of(ofHost);
    if (!ofHost.passed()) {
      controllers.watch(new AuthenticationDeadline(this, ofHost::passed));
    }
  }

  public final Authentication authentication() {
    return authentication.orElseThrow();
  }

  /** Handles a command whose data are complete; a host that must authenticate does that first. */
  public final void take(Command command, CommandData data) {
    if (AuthenticationCommands.is(command)) {
      authenticate(command, data);
    } else if (authentication().passed()) {
      execute(command, data);
    } else {
      refuse(command, Status.AUTHENTICATION_REQUIRED);
    }
  }

  private void authenticate(Command command, CommandData data) {
    try {
      AdminResult answer = AuthenticationCommands.execute(command, data, authentication());
      link.respond(answer.data(), new CompletionEntry(0, head(), command.id(), Status.SUCCESS));
    } catch (RefusedException e) {
      refuse(command, e.status());
    }
    if (authentication().failed()) {
      link.connection().close();
    }
  }

  /** Executes a command of an authenticated host. */
  abstract void execute(Command command, CommandData data);

  /** Ends the queue; waits for requests at a device. */
  public abstract void stop(Runnable stopped);

  /** Adds the state that another session needs to resume. */
  public void save(Map<String, String> fields) {
    fields.put(HEAD, String.valueOf(head));
    if (authentication().required()) {
      fields.put(AUTHENTICATION, authentication().text());
    }
  }

  public final void startAt(int from) {
    head = from % shape.entries();
  }

  /** Returns the head of the submission queue for completions. */
  final int head() {
    return shape.flowControl() ? head : 0;
  }

  final void respond(Command command, int status) {
    link.respond(new CompletionEntry(0, head(), command.id(), status));
  }

  /** Rejects a command and adds the reason to the error log. */
  public void refuse(Command command, int status) {
    controller.errors().add(shape.number(), command.id(), status, 0);
    respond(command, status);
  }

  @Override
  public final boolean tell(CompletionEntry entry) {
    Optional<Reply> reply = link.connection().message(PduWriter.RESPONSE_BYTES);
    reply.ifPresent(taken -> link.send(taken, entry.at(head())));
    return reply.isPresent();
  }

  @Override
  public final void disconnect() {
    link.connection().disconnect();
  }

  @Override
  public final boolean gone() {
    try {
      return link.connection().peer().isEmpty();
    } catch (IllegalStateException e) {
      return true;
    }
  }
}
