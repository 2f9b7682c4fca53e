package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.iscsi.internal.login.LoginException;
import dev.holdfast.frontend.iscsi.internal.login.TextKeys;
import dev.holdfast.frontend.iscsi.internal.pdu.Bhs;
import dev.holdfast.frontend.iscsi.internal.pdu.TextRequest;
import dev.holdfast.frontend.iscsi.internal.pdu.TextResponse;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Text requests: the list of targets (RFC 7143, appendix C). */
final class TextExchange {
  private static final int REST_TAG = 1;

  private final FrontendConnection connection;
  private final SessionIdentity identity;
  private final PduOutput output;
  private final int sendAtMost;
  private String received = "";
  private String rest = "";

  TextExchange(
      FrontendConnection connection, SessionIdentity identity, PduOutput output, int sendAtMost) {
    this.connection = connection;
    this.identity = identity;
    this.output = output;
    this.sendAtMost = sendAtMost;
  }

  void resume(Map<String, String> fields) {
    received = fields.getOrDefault(SessionFields.TEXT, "");
    rest = fields.getOrDefault(SessionFields.REST, "");
  }

  Map<String, String> fields() {
    return Map.of(SessionFields.TEXT, received, SessionFields.REST, rest);
  }

  /** Responds to a request. Returns false when it violates the protocol. */
  boolean answer(TextRequest request, ByteBuffer data) {
    if (request.targetTag() == REST_TAG && !rest.isEmpty()) {
      respond(request);
      return true;
    }
    received += StandardCharsets.ISO_8859_1.decode(data);
    if (received.length() > TextKeys.MOST_BYTES) {
      received = "";
      return false;
    }
    if (request.more()) {
      output.status(response(request, false, false), new byte[0]);
      return true;
    }
    try {
      byte[] whole = received.getBytes(StandardCharsets.ISO_8859_1);
      received = "";
      ByteArrayOutputStream answer = new ByteArrayOutputStream();
      TextKeys.read(whole).forEach((key, value) -> answer(answer, key, value));
      rest = answer.toString(StandardCharsets.ISO_8859_1);
      respond(request);
      return true;
    } catch (LoginException e) {
      return false;
    }
  }

  private void answer(ByteArrayOutputStream answer, String key, String value) {
    if (!key.equals("SendTargets")) {
      TextKeys.add(answer, key, "NotUnderstood");
    } else if (identity.discovery() && value.equals("All")) {
      connection.export().exports().names().forEach(export -> describe(answer, export));
    } else if (value.equals("All")) {
      TextKeys.add(answer, key, "Reject");
    } else {
      String target = value.isEmpty() ? identity.target() : value;
      TargetNames.export(target)
          .filter(export -> connection.export().exports().find(export).isPresent())
          .ifPresent(export -> describe(answer, export));
    }
  }

  private void describe(ByteArrayOutputStream answer, String export) {
    TextKeys.add(answer, "TargetName", TargetNames.of(export));
    connection
        .export()
        .exports()
        .endpoint(export)
        .ifPresent(endpoint -> TextKeys.add(answer, "TargetAddress", address(endpoint)));
  }

  private static String address(URI endpoint) {
    return endpoint.getHost() + ':' + endpoint.getPort() + ",1";
  }

  private void respond(TextRequest request) {
    int length = Math.min(rest.length(), sendAtMost);
    byte[] piece = rest.substring(0, length).getBytes(StandardCharsets.ISO_8859_1);
    rest = rest.substring(length);
    boolean more = !rest.isEmpty();
    output.status(response(request, !more, more), piece);
  }

  private static TextResponse response(TextRequest request, boolean last, boolean more) {
    int next = last ? Bhs.NO_TAG : REST_TAG;
    return new TextResponse(last, more, request.lun(), request.tag(), next, 0, 0, 0);
  }
}
