package dev.holdfast.commands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.access.AccessRole;
import dev.holdfast.access.AccessRoleSpec;
import dev.holdfast.access.AccessToken;
import dev.holdfast.access.TokenSecret;
import dev.holdfast.client.AccessTokens;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Access tokens, roles and the audit log as users see them. */
class AccessViewsTest {
  private static final Instant NOW = Instant.parse("2026-11-28T12:00:00Z");

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final AccessTokens tokens = new AccessTokens(store);

  @Test
  void newTokenIsShownOnceAndTheStoreHasItsHash() throws Exception {
    AccessTokens.Created created =
        tokens.create("ci", "operate", Optional.of(NOW.plusSeconds(60)), "builds");
    String secret = new AccessViews().created(created).as(Output.Format.TEXT);
    assertThat(TokenSecret.isWellFormed(secret)).isTrue();
    AccessToken stored = store.get(AccessToken.KIND, "ci").orElseThrow();
    assertThat(stored.spec().secretHash()).isEqualTo(new TokenSecret(secret).hash());
    String list = new AccessViews().tokens(tokens.list(), NOW).as(Output.Format.TEXT);
    assertThat(list)
        .contains("ci     operate   2026-11-28T12:01:00Z   never")
        .doesNotContain(secret);
    assertThat(new AccessViews().tokens(tokens.list(), NOW.plusSeconds(60)).as(Output.Format.TEXT))
        .contains("expired 2026-11-28T12:01:00Z");
    assertThat(new AccessViews().tokens(tokens.list(), NOW).as(Output.Format.JSON))
        .doesNotContain(secret);
    tokens.remove("ci");
    assertThat(tokens.list().items()).isEmpty();
    assertThatThrownBy(() -> tokens.remove("ci"))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("holdfast token list");
  }

  @Test
  void rotatedTokenKeepsRoleAndEndAndHasANewSecret() throws Exception {
    AccessTokens.Created former =
        tokens.create("ci", "operate", Optional.of(NOW.plusSeconds(60)), "builds");

    AccessTokens.Created next = tokens.rotate("ci");

    AccessToken stored = store.get(AccessToken.KIND, "ci").orElseThrow();
    assertThat(stored.spec().secretHash()).isEqualTo(next.secret().hash());
    assertThat(stored.spec().secretHash()).isNotEqualTo(former.secret().hash());
    assertThat(stored.spec().withSecretHash(former.secret().hash()))
        .isEqualTo(former.token().spec());
    assertThat(stored.metadata().uid()).isNotEqualTo(former.token().metadata().uid());
    assertThatThrownBy(() -> tokens.rotate("cd")).hasMessageContaining("token cd does not exist");
  }

  @Test
  void absentRoleIsNamedWithThoseThatExist() throws Exception {
    AccessRole role = store.create(AccessRole.of("team", AccessRoleSpec.EMPTY));
    assertThatThrownBy(() -> tokens.create("ci", "owner", Optional.empty(), ""))
        .hasMessageContaining("role owner does not exist")
        .hasMessageContaining("view, operate, admin, metrics, support, team");
    assertThat(tokens.create("ci", role.name(), Optional.empty(), "").token().name())
        .isEqualTo("ci");
    assertThat(new AccessViews().roles(tokens.roles()).as(Output.Format.TEXT))
        .contains("view      yes", "team      no");
  }

  @Test
  void lineOfTheAuditLogIsOneRow() throws Exception {
    JsonNode event =
        new ObjectMapper()
            .readTree(
                """
                {"verb": "delete", "node": "n1", "user": {"username": "ci"}, "sourceIPs": ["192.0.2.1"],
                 "objectRef": {"resource": "volumes", "name": "v1"},
                 "responseStatus": {"code": 403, "message": "not allowed\\u001b[2J"},
                 "requestReceivedTimestamp": "2026-11-28T12:00:00.123456Z"}
                """);
    assertThat(
            new AuditViews().events(List.of(event)).as(Output.Format.TEXT).lines().toList().get(1))
        .isEqualTo(
            "2026-11-28T12:00:00Z   n1     ci     delete   volumes/v1   403    192.0.2.1   not allowed"
                + " [2J");
    assertThat(new AuditViews().events(List.of()).as(Output.Format.TEXT)).contains("No line");
  }
}
