package dev.holdfast.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.FieldError;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Requests that a rule permits. */
class AccessRuleTest {
  private static AccessRequest request(String verb, String kind, String subresource, String name) {
    return AccessRequest.of(verb, kind, subresource, name, () -> Map.of("a", "1", "b", "2"));
  }

  private static boolean namePermitted(String pattern, String name) {
    AccessRule rule = AccessRule.forKinds(List.of("get"), "volumes").withNames(List.of(pattern));
    return rule.permits(request("get", "volumes", "", name));
  }

  @Test
  void starOfANameStandsForAnyText() {
    assertThat(namePermitted("vm-*", "vm-")).isTrue();
    assertThat(namePermitted("vm-*", "vm-1")).isTrue();
    assertThat(namePermitted("vm-*", "xvm-1")).isFalse();
    assertThat(namePermitted("*-x", "vm-x")).isTrue();
    assertThat(namePermitted("a*b*c", "a-b-c")).isTrue();
    assertThat(namePermitted("a*b*c", "abc")).isTrue();
    assertThat(namePermitted("a*b*c", "acb")).isFalse();
    assertThat(namePermitted("ab*ba", "aba")).as("overlap").isFalse();
    assertThat(namePermitted("a.c", "abc")).as("not a regular expression").isFalse();
    assertThat(namePermitted("*", "")).as("all of the kind").isFalse();
  }

  @Test
  void starOfKindsLeavesOutTokensAndSubresources() {
    AccessRule rule = AccessRule.forKinds(List.of("get"), "*");
    assertThat(rule.permits(request("get", "volumes", "", "v"))).isTrue();
    assertThat(rule.permits(request("get", "volumes", "status", "v"))).isTrue();
    assertThat(rule.permits(request("get", "nodes", "audit", "n"))).isFalse();
    assertThat(rule.permits(request("get", "accesstokens", "", "t"))).isFalse();
    assertThat(rule.permits(request("get", "accesstokens", "status", "t"))).isFalse();
    AccessRule all = AccessRule.forKinds(List.of("*"), "*/*");
    assertThat(all.permits(request("delete", "accesstokens", "", "t"))).isTrue();
    assertThat(all.permits(request("get", "nodes", "audit", "n"))).isTrue();
  }

  @Test
  void labelsMustAllBePresent() {
    AccessRule rule = AccessRule.forKinds(List.of("get"), "volumes");
    AccessRequest request = request("get", "volumes", "", "v");
    assertThat(rule.withLabels(Map.of("a", "1")).permits(request)).isTrue();
    assertThat(rule.withLabels(Map.of("a", "1", "b", "2")).permits(request)).isTrue();
    assertThat(rule.withLabels(Map.of("a", "2")).permits(request)).isFalse();
    assertThat(rule.withLabels(Map.of("c", "1")).permits(request)).isFalse();
  }

  @Test
  void pathsAndKindsDoNotMix() {
    AccessRule paths = AccessRule.forPaths(List.of("get"), "/metrics", "/support/*");
    assertThat(paths.permits(AccessRequest.ofPath("get", "/metrics"))).isTrue();
    assertThat(paths.permits(AccessRequest.ofPath("get", "/metrics/x"))).isFalse();
    assertThat(paths.permits(AccessRequest.ofPath("get", "/support/x/y"))).isTrue();
    assertThat(paths.permits(AccessRequest.ofPath("post", "/metrics"))).isFalse();
    AccessRule kinds = AccessRule.forKinds(List.of("*"), "*/*");
    assertThat(kinds.permits(AccessRequest.ofPath("get", "/metrics"))).isFalse();
  }

  @Test
  void wrongRulesAreNamedByTheirField() {
    AccessRule wrong =
        new AccessRule(
            List.of("read"), List.of("Volumes"), List.of(""), Map.of(), List.of("metrics"));
    assertThat(wrong.validate("spec.rules[0]"))
        .extracting(FieldError::field)
        .containsExactly(
            "spec.rules[0].verbs",
            "spec.rules[0]",
            "spec.rules[0].kinds",
            "spec.rules[0].names",
            "spec.rules[0].paths");
    AccessRole reserved = AccessRole.of("view", AccessRoleSpec.EMPTY);
    assertThat(reserved.validate()).extracting(FieldError::field).containsExactly("metadata.name");
  }

  @Test
  void tokenIsRecognizedByItsChecksum() {
    String token = TokenSecret.random().text();
    assertThat(TokenSecret.isWellFormed(token)).isTrue();
    for (int i = 0; i < token.length(); i++) {
      char other = token.charAt(i) == '0' ? '1' : '0';
      String mistyped = token.substring(0, i) + other + token.substring(i + 1);
      assertThat(TokenSecret.isWellFormed(mistyped)).as(mistyped).isFalse();
    }
    assertThat(TokenSecret.isWellFormed("")).isFalse();
    assertThat(TokenSecret.isWellFormed(token + "0")).isFalse();
    assertThat(new TokenSecret(token).hash()).matches("[0-9a-f]{64}");
    assertThat(new TokenSecret(token)).hasToString("hf_…");
    AccessTokenSpec spec =
        AccessTokenSpec.EMPTY.withRole("view").withSecretHash(new TokenSecret(token).hash());
    assertThat(AccessToken.of("t", spec).validate()).isEmpty();
    assertThat(AccessToken.of(Caller.LOCAL_ADMIN, spec).validate()).isNotEmpty();
    assertThat(AccessToken.of("t", spec.withSecretHash(token)).validate()).isNotEmpty();
  }
}
