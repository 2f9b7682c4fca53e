package dev.holdfast.frontend.nvmeof.internal.auth;

import java.nio.charset.StandardCharsets;

/**
 * The two sides of an authentication, and their proofs (Base 2.0, 8.13.5.4 and 8.13.5.5).
 *
 * @param host NQN of the host
 * @param subsystem NQN of the controller's subsystem
 */
record DhchapPeers(String host, String subsystem) {
  /** Returns the proof that the host has its secret. */
  byte[] hostResponse(DhchapSecret secret, DhchapChallenge question) {
    return response(secret.key(host), question, "HostHost", host, subsystem);
  }

  /** Returns the proof that the controller has its secret. */
  byte[] controllerResponse(DhchapSecret secret, DhchapChallenge question) {
    return response(secret.key(subsystem), question, "Controller", subsystem, host);
  }

  private static byte[] response(
      byte[] key, DhchapChallenge question, String role, String own, String other) {
    return question
        .hash()
        .mac(
            key,
            question.challenge(),
            question.numbers(),
            bytes(role),
            bytes(own),
            new byte[1],
            bytes(other));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
