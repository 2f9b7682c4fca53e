package dev.holdfast.frontend.nvmeof.internal.auth;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.nvmeof.internal.wire.Le;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The controller's side of DH-HMAC-CHAP on one queue (Base 2.0, 8.13.5). A host may authenticate
 * again at any time; its queue stays in service until that fails. Used by the connection's thread
 * only.
 *
 * <pre>
 *   NEGOTIATE --&gt; CHALLENGE --&gt; REPLY --&gt; SUCCESS_1 [--&gt; SUCCESS_2]   passed
 *       '-------------'------------'------&gt; FAILURE_1                 failed
 * </pre>
 */
public final class Authentication {
  private static final Logger log = LoggerFactory.getLogger(Authentication.class);
  private static final int HEAD = 16;
  private static final int HASH_LENGTH_AT = 6;
  private static final int REASON_AT = 6;
  private static final int EXPLANATION_AT = 7;
  private static final int PROVEN_AT = 8;
  private static final int AUTHENTICATION_FAILED = 1;

  private final SecureRandom random = new SecureRandom();
  private final HostSecrets secrets;
  private final DhchapPeers parties;
  private final boolean required;
  private volatile boolean passed;
  private boolean failed;

  /** The next message of either side. */
  private MessageType step = MessageType.NEGOTIATE;

  private int id;
  private int explanation = AuthenticationException.INCORRECT_MESSAGE;
  private Optional<Transaction> current = Optional.empty();
  private Optional<byte[]> proof = Optional.empty();

  private Authentication(
      HostSecrets secrets, DhchapPeers parties, boolean required, boolean passed) {
    this.secrets = secrets;
    this.parties = parties;
    this.required = required;
    this.passed = passed;
  }

  /**
   * Starts the authentication of a queue that is being connected.
   *
   * @param secrets secrets of hosts, not null
   * @param host NQN of the host, not null
   * @param subsystem NQN of the controller's subsystem, not null
   * @return never null
   */
  public static Authentication begin(HostSecrets secrets, String host, String subsystem) {
    boolean required = secrets.required();
    return new Authentication(secrets, new DhchapPeers(host, subsystem), required, !required);
  }

  /** Returns whether the host must authenticate. */
  public boolean required() {
    return required;
  }

  /** Returns whether commands are executed. Any thread may call this. */
  public boolean passed() {
    return passed;
  }

  /** Returns whether the connection must end. */
  public boolean failed() {
    return failed;
  }

  /**
   * Handles a message from the host. The next message to the host reports any fault.
   *
   * @param bytes not null
   */
  public void send(byte[] bytes) {
    ByteBuffer message = ByteBuffer.wrap(bytes);
    try {
      take(message, MessageType.of(message).orElseThrow(Authentication::unexpected));
    } catch (AuthenticationException e) {
      log.warn("{}: host {} is refused: {}", parties.subsystem(), parties.host(), e.getMessage());
      secrets.refused(parties.host(), e.getMessage());
      passed = false;
      explanation = e.reason();
      step = MessageType.FAILURE_1;
    }
  }

  private void take(ByteBuffer message, MessageType type) throws AuthenticationException {
    if (type == MessageType.NEGOTIATE && step != MessageType.FAILURE_1) {
      id = MessageType.transaction(message);
      proof = Optional.empty();
      current = Optional.of(Transaction.begin(id, Negotiation.of(message), random));
      step = MessageType.CHALLENGE;
      return;
    }
    Transaction transaction = current.orElseThrow(Authentication::unexpected);
    if (MessageType.transaction(message) != id) {
      throw unexpected();
    }
    if (type == MessageType.FAILURE_2) {
      log.warn("{}: host {} aborts the authentication", parties.subsystem(), parties.host());
      passed = false;
      failed = true;
    } else if (type == MessageType.REPLY && step == type) {
      reply(transaction, HostReply.parse(message, transaction.hash().length()));
      step = MessageType.SUCCESS_1;
    } else if (type == MessageType.SUCCESS_2 && step == type) {
      pass();
    } else {
      throw unexpected();
    }
  }

  private void reply(Transaction transaction, HostReply reply) throws AuthenticationException {
    HostSecrets.Pair pair = secrets();
    byte[] shared = transaction.shared(reply);
    byte[] right = parties.hostResponse(pair.host(), transaction.ofController(shared));
    if (!MessageDigest.isEqual(right, reply.response())) {
      throw refused("it does not know its secret");
    }
    if (reply.challenge().isPresent()) {
      DhchapSecret own =
          pair.controller().orElseThrow(() -> refused("the controller has no secret"));
      proof = Optional.of(parties.controllerResponse(own, transaction.ofHost(reply, shared)));
    }
  }

  private HostSecrets.Pair secrets() throws AuthenticationException {
    try {
      return secrets.of(parties.host()).orElseThrow(() -> refused("it has no secret here"));
    } catch (StorageException e) {
      throw refused(e.getMessage());
    }
  }

  private static AuthenticationException refused(String why) {
    return new AuthenticationException(AuthenticationException.FAILED, why);
  }

  private static AuthenticationException unexpected() {
    return new AuthenticationException(
        AuthenticationException.INCORRECT_MESSAGE, "the message is not expected in this state");
  }

  private void pass() {
    passed = true;
    step = MessageType.NEGOTIATE;
    current = Optional.empty();
    proof = Optional.empty();
  }

  /** Returns the size of the next message to the host in bytes. */
  public int available() {
    return switch (step) {
      case CHALLENGE -> current.orElseThrow().challengeSize();
      case SUCCESS_1 -> HEAD + current.orElseThrow().hash().length();
      case NEGOTIATE, REPLY, SUCCESS_2, FAILURE_1, FAILURE_2 -> HEAD;
    };
  }

  /** Returns the next message to the host, never null. */
  public byte[] receive() {
    return switch (step) {
      case CHALLENGE -> {
        step = MessageType.REPLY;
        yield current.orElseThrow().challenge();
      }
      case SUCCESS_1 -> success();
      case NEGOTIATE, REPLY, SUCCESS_2, FAILURE_1, FAILURE_2 -> failure();
    };
  }

  private byte[] success() {
    int length = current.orElseThrow().hash().length();
    ByteBuffer message = MessageType.SUCCESS_1.message(HEAD + length, id);
    Le.put8(message, HASH_LENGTH_AT, length);
    Le.put8(message, PROVEN_AT, proof.isPresent() ? 1 : 0);
    proof.ifPresent(bytes -> message.put(HEAD, bytes));
    if (proof.isPresent()) {
      step = MessageType.SUCCESS_2;
    } else {
      pass();
    }
    return Le.bytes(message, 0, message.limit());
  }

  private byte[] failure() {
    passed = false;
    failed = true;
    ByteBuffer message = MessageType.FAILURE_1.message(HEAD, id);
    Le.put8(message, REASON_AT, AUTHENTICATION_FAILED);
    Le.put8(message, EXPLANATION_AT, explanation);
    return Le.bytes(message, 0, message.limit());
  }

  /** Returns the complete state as text, for a session that resumes elsewhere. */
  public String text() {
    return String.join(
        ";",
        String.valueOf(required),
        String.valueOf(passed),
        step.name(),
        String.valueOf(id),
        String.valueOf(explanation),
        current.map(Transaction::text).orElse(""),
        proof.map(HexFormat.of()::formatHex).orElse(""));
  }

  /**
   * Resumes the authentication of a queue.
   *
   * @param secrets secrets of hosts, not null
   * @param host NQN of the host, not null
   * @param subsystem NQN of the controller's subsystem, not null
   * @param text result of {@link #text}, not null; empty when authentication is not required
   * @return never null
   * @throws StorageException INVALID when the text is malformed
   */
  public static Authentication resume(
      HostSecrets secrets, String host, String subsystem, String text) throws StorageException {
    DhchapPeers parties = new DhchapPeers(host, subsystem);
    if (text.isEmpty()) {
      return new Authentication(secrets, parties, false, true);
    }
    try {
      String[] parts = text.split(";", -1);
      Authentication resumed =
          new Authentication(
              secrets, parties, Boolean.parseBoolean(parts[0]), Boolean.parseBoolean(parts[1]));
      resumed.step = MessageType.valueOf(parts[2]);
      resumed.id = Integer.parseInt(parts[3]);
      resumed.explanation = Integer.parseInt(parts[4]);
      resumed.current = Optional.of(parts[5]).filter(one -> !one.isEmpty()).map(Transaction::of);
      resumed.proof =
          Optional.of(parts[6]).filter(one -> !one.isEmpty()).map(HexFormat.of()::parseHex);
      return resumed;
    } catch (RuntimeException e) {
      throw new StorageException(ErrorCode.INVALID, "an authentication's state is unreadable", e);
    }
  }
}
