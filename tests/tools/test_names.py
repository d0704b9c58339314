"""Tools of servers that declare nothing: what they are called decides whether they are."""

from __future__ import annotations

import pytest

from fathom.errors import ToolRefused
from fathom.tools.policy import OfferedTool, ToolGate

CHANGING = (
    # what does not lead with a word of reading
    "halt_cluster drain_account shut_down wipe_disk terminate_instance scale_down fire_missile launch_rocket "
    "open_valve unlock_door accept_offer sign_contract vote_proposal hire_candidate fire_employee impersonate_user "
    "elevate_privileges freeze_card mint_tokens burn_tokens swap_coins stake withdraw deposit wire_money settle "
    "liquidate rollback promote_release failover_database snapshot_restore compact_table rebuild_index reindex "
    "quarantine_host isolate_machine block_ip allow_ip open_port provision_server resize_volume detach_volume "
    "mount_drive format_disk flash_firmware factory_default calibrate ignite brake steer arm_alarm disarm_alarm "
    "mute_all escalate_incident acknowledge_alert resolve_issue assign_ticket label_item tag_photo star_repo "
    "follow_user like_post comment share_file rename_file mark_read archive_mail forward_mail unsubscribe "
    "print_document call_phone dial speak_aloud record_audio take_photo click type_text press_key scroll weather "
    # what leads with one, and changes all the same
    "get_and_delete list_then_purge find_or_create search_and_replace fetch_and_lock findOneAndUpdate read_write_file "
    "query_execute get_or_reboot list_n_kill count_reset view_send lookupThenPost get_token_and_mint read_pop "
    "fetch_then_ack find-and-drain show.and.wipe getAndSet list_sync "
    # how it is written does not hide it
    "getDELETEall GETANDDELETE get__purge events.get_purge list/delete mcp__get__drain get:terminate getanddelete "
    "do_it x navigate -delete-get __drop get.halt list.items.wipe admin.delete.list 1delete get9kill"
).split()
DECEIVING = (
    "g\u0435t_status",  # a Cyrillic letter
    "list_\u0430ccounts",
    "\u0262et_items",
    "\uff47\uff45\uff54_status",  # full-width
    "get_\uff44elete",
    "\U0001d420\U0001d41e\U0001d42d_status",  # mathematical
    "get_d\u0435lete",
    "get_\u200cstatus",  # invisible joiners
    "ge\u200dt_status",
    "get\u0301_status",  # combining
    "g\u0113t_status",
    "\u691c\u7d22",
    "get\u2024status",  # a leader dot
    "get\u2215status",
)
UNSEEN = (
    "get_\u200bstatus",
    "get_\u202esutats",
    "\ufeffget_status",
    "get_\u00adstatus",
    "get\nstatus",
    "get_\U000e0064",
)
READING = (
    "get get_events get-events getEvents GetEvents get_post getPosts get_order getCommit list list_issues list_updates "
    "list_posts listAllRuns list_pull_requests_files search search_events search-web searchBooks search_records find "
    "find_similar find_places findOne query query_events read read_file fetch fetch_page describe describe_table count "
    "count_by_field show show_schema lookup lookup_word look_up aggregate aggregate_events analyze analyse_records "
    "summarize_text stats statistics histogram distinct_values top_terms browse_catalog view_page inspect_record "
    "preview_rows sample_rows retrieve_document compare_versions filter_rows list_and_count search_then_describe "
    "events.search events/list github__list_issues mcp__files__read_file server:get_record getURLStats get_2_rows "
    "schema scan_table explore_data match_names facet_counts peek_rows get_report list_messages get_release"
).split()


def reason(name: str, *, reads: bool | None = None, destroys: bool | None = None, allowed: tuple[str, ...] = ()) -> str:
    """Why the tool is not called; empty when it is."""
    gate = ToolGate(allowed=allowed)
    gate.listed([OfferedTool(name, "", {}, reads=reads, destroys=destroys)])
    try:
        gate.check(name)
    except ToolRefused as error:
        return str(error)
    return ""


def test_there_are_enough_names_to_say_so() -> None:
    assert len(set(CHANGING)) >= 118 and len(set(READING)) >= 60


def test_a_tool_that_declares_nothing_is_not_called_unless_its_name_tells_that_it_reads() -> None:
    names = [*CHANGING, *DECEIVING, *UNSEEN]
    assert [name for name in names if not reason(name)] == []
    assert [name for name in names if not reason(name, allowed=("*",))] == []
    assert [name for name in names if not reason(name, allowed=(f"{name[:1]}*",))] == []


def test_who_names_a_tool_allows_it() -> None:
    assert [name for name in (*CHANGING, *DECEIVING) if reason(name, allowed=(name,))] == []


def test_a_tool_whose_name_is_led_by_a_word_of_reading_is_called() -> None:
    assert [name for name in READING if reason(name)] == []


@pytest.mark.parametrize("name", ["g\u0435t_status", "get_\uff44elete", "get_\u200cstatus", "\u03bdiew", "get\u2215a"])
def test_letters_of_several_alphabets_deceive_whatever_is_declared(name: str) -> None:
    assert "alphabets" in reason(name, reads=True)
    assert reason("\u691c\u7d22", reads=True) == reason("gr\u00f6\u00dfe", reads=True) == ""


def test_a_refusal_says_which_tool_why_and_how_to_allow_it() -> None:
    assert reason("open_valve") == (
        "The tool 'open_valve' may not be called: it declares nothing, and its name is not led by a word of "
        "reading, such as 'get', 'list' or 'search'; to allow it, name it at the command line, or in the settings "
        "under [mcp.NAME] in tools."
    )
    assert "reads only" in reason("search", reads=True, destroys=True)
    assert "changes something" in reason("search", reads=False)
