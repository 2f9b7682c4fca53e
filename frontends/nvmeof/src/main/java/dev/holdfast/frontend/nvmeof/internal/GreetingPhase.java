package dev.holdfast.frontend.nvmeof.internal;

import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.nvmeof.internal.controller.Controllers;
import dev.holdfast.frontend.nvmeof.internal.queue.Framing;
import dev.holdfast.frontend.nvmeof.internal.queue.PduWriter;
import dev.holdfast.frontend.nvmeof.internal.wire.IcRequest;
import dev.holdfast.frontend.nvmeof.internal.wire.IcResponse;
import dev.holdfast.frontend.nvmeof.internal.wire.Limits;
import dev.holdfast.frontend.nvmeof.internal.wire.PduHeader;
import dev.holdfast.frontend.nvmeof.internal.wire.PduType;
import dev.holdfast.frontend.nvmeof.internal.wire.ProtocolException;
import dev.holdfast.frontend.nvmeof.internal.wire.TermRequest;
import java.nio.ByteBuffer;
import java.util.Map;

/** Negotiates the format of PDUs with the host. */
final class GreetingPhase implements Phase {
  static final String NAME = "greeting";

  private final PduWriter link;
  private final Controllers controllers;
  private final QueueConnect joining;

  GreetingPhase(FrontendConnection connection, Controllers controllers, QueueConnect joining) {
    this.link = new PduWriter(connection, Framing.PLAIN, 0);
    this.controllers = controllers;
    this.joining = joining;
  }

  @Override
  public PduWriter link() {
    return link;
  }

  @Override
  public Phase received(PduHeader header, ByteBuffer input, int start) throws ProtocolException {
    if (header.type() != PduType.IC_REQUEST) {
      throw new ProtocolException(TermRequest.SEQUENCE_ERROR, 0, "the first PDU is not an ICReq");
    }
    IcRequest request = IcRequest.parse(input, start);
    if (request.version() != 0) {
      throw new ProtocolException(TermRequest.UNSUPPORTED, 8, "PDUs have only version 0 here");
    }
    if (request.alignment() > IcRequest.MAXIMUM_ALIGNMENT) {
      throw new ProtocolException(TermRequest.INVALID_FIELD, 10, "the alignment is too large");
    }
    Framing framing = Framing.of(request.digests());
    Reply reply = link.connection().reply(IcResponse.SIZE);
    new IcResponse(0, 0, framing.digests(), Limits.TRANSFER).put(reply.buffer(), 0);
    reply.buffer().position(IcResponse.SIZE);
    reply.send();
    PduWriter agreed = new PduWriter(link.connection(), framing, request.alignment());
    return new ConnectPhase(agreed, controllers, joining);
  }

  @Override
  public boolean ended() {
    return false;
  }

  @Override
  public Phase settled() {
    return this;
  }

  @Override
  public void stop(Runnable stopped) {
    stopped.run();
  }

  @Override
  public void save(Map<String, String> fields) {
    fields.put(SessionFields.PHASE, NAME);
  }
}
