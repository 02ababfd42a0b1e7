package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

const (
	feed         = "http://localhost:3000/workspaces/demo/databases/app/management/revocations"
	staleAfter   = 30 * time.Second
	longestPause = 60 * time.Second
	// Between a change and the expiry of its revocation.
	lifetime = 86_520 * time.Second
)

var (
	errRevoked = errors.New("the token was revoked")                         // Respond with 401.
	errStale   = errors.New("it is not known whether the token was revoked") // Respond with 503.
	errExpired = errors.New("the cursor has expired")
)

// revocations follows the revocations of the database.
type revocations struct {
	apiKey string
	mutex  sync.Mutex
	known  *known
	readAt time.Time
}

func followRevocations(apiKey string) *revocations {
	r := &revocations{apiKey: apiKey}
	go r.follow()
	return r
}

// check returns the claims of a verified token, with tenants and roles as they are now.
func (r *revocations) check(claims map[string]any, kid string) (map[string]any, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	now := time.Now()
	// Round removes the reading of the monotonic clock, which stops while the machine sleeps.
	age := max(now.Sub(r.readAt), now.Round(0).Sub(r.readAt.Round(0)).Abs())
	if r.known == nil || age > staleAfter {
		return nil, errStale
	}
	return r.known.check(claims, kid)
}

func (r *revocations) follow() {
	current, after, wait := newKnown(), "", time.Duration(0)
	for {
		started := time.Now()
		page, pause, err := r.read(after, wait)
		if err == nil {
			err = r.add(current, page, started)
		}
		if err == nil {
			if len(page.Revocations) == 0 && time.Since(started) < wait-time.Second {
				pause = cmp.Or(pause, time.Second)
			}
			after = page.Next
			if !*page.MoreAvailable {
				wait = staleAfter / 3
			}
		} else {
			if errors.Is(err, errExpired) {
				current, after = newKnown(), ""
			}
			wait, pause = 0, cmp.Or(pause, time.Duration(500+rand.IntN(4500))*time.Millisecond)
		}
		time.Sleep(pause)
	}
}

// add adds the items of a page. If no page follows, all revocations are known up to the start of its request.
func (r *revocations) add(current *known, page page, started time.Time) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, item := range page.Revocations {
		if err := current.add(item); err != nil {
			return err
		}
	}
	if !*page.MoreAvailable {
		r.known, r.readAt = current, started
		current.forget()
	}
	return nil
}

type page struct {
	Revocations   []revocation
	Next          string
	MoreAvailable *bool
}

// read returns a page, and how long to pause.
func (r *revocations) read(after string, wait time.Duration) (page page, pause time.Duration, err error) {
	query := url.Values{"limit": {"1000"}, "wait": {strconv.Itoa(int(wait.Seconds()))}}
	if after != "" {
		query.Set("after", after)
	}
	request, err := http.NewRequest("GET", feed+"?"+query.Encode(), nil)
	if err != nil {
		return page, 0, err
	}
	request.Header.Set("Authorization", "Bearer "+r.apiKey)
	client := http.Client{
		Timeout:       wait + 5*time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err != nil {
		return page, 0, err
	}
	defer response.Body.Close()
	if seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 32); err == nil {
		pause = min(time.Duration(seconds)*time.Second, longestPause)
	}
	switch response.StatusCode {
	case http.StatusOK:
		err = json.NewDecoder(response.Body).Decode(&page)
	case http.StatusGone:
		err = errExpired
	default:
		err = errors.New(response.Status)
	}
	if err == nil && (page.Revocations == nil || page.Next == "" || page.MoreAvailable == nil) {
		err = errors.New("not a page of revocations")
	}
	return page, pause, err
}

type revocation struct {
	Type, UserID, SessionID, TenantID, Kid string
	Generation, Version                    *int64
	// nil for a removal from the tenant.
	Role      *string
	ExpiresAt time.Time
}

// key is what a revocation concerns, such as {"session", its ID}.
type key [3]string

type entry struct {
	number  int64
	role    *string
	expires time.Time
}

// known has revocations by what they concern.
type known struct {
	items    map[key]entry
	newest   time.Time
	forgotAt time.Time
}

func newKnown() *known {
	return &known{items: map[key]entry{}}
}

func (k *known) add(item revocation) error {
	var concerns key
	var role *string
	number := new(int64)
	switch item.Type {
	case "tokens-revoked":
		concerns, number = key{"user", item.UserID}, item.Generation
	case "session-revoked":
		concerns = key{"session", item.SessionID}
	case "token-claims-change":
		concerns, number, role = key{"member", item.UserID, item.TenantID}, item.Version, item.Role
	case "tenant-deleted":
		concerns = key{"tenant", item.TenantID}
	case "key-retired":
		concerns = key{"key", item.Kid}
	default:
		return fmt.Errorf("unknown revocation %s", item.Type)
	}
	isIncomplete := concerns[1] == "" || concerns[0] == "member" && concerns[2] == ""
	if isIncomplete || number == nil || item.ExpiresAt.IsZero() {
		return fmt.Errorf("incomplete revocation %s", item.Type)
	}
	if item.ExpiresAt.After(k.newest) {
		k.newest = item.ExpiresAt
	}
	if earlier, isKnown := k.items[concerns]; !isKnown || earlier.number <= *number {
		k.items[concerns] = entry{*number, role, item.ExpiresAt}
	}
	return nil
}

// forget forgets each minute what has expired by this clock and by the server's, because this one may be ahead for a time.
func (k *known) forget() {
	if time.Since(k.forgotAt) < time.Minute {
		return
	}
	k.forgotAt = time.Now()
	now := k.newest.Add(-lifetime)
	maps.DeleteFunc(k.items, func(_ key, each entry) bool {
		return each.expires.Before(now) && each.expires.Before(k.forgotAt)
	})
}

func (k *known) has(kind, id string) bool {
	_, isKnown := k.items[key{kind, id}]
	return isKnown
}

func (k *known) check(claims map[string]any, kid string) (map[string]any, error) {
	user, _ := claims["sub"].(string)
	session, isOfSession := claims["sid"].(string)
	if !isOfSession {
		session, _ = claims["jti"].(string)
	}
	revoked, isKnown := k.items[key{"user", user}]
	if isKnown && numberIn(claims, "gen") < revoked.number || k.has("session", session) || k.has("key", kid) {
		return nil, errRevoked
	}
	listed, isListed := claims["tenants"].([]any)
	if !isListed {
		return claims, nil
	}
	given, hasRoles := claims["tenant_roles"].(map[string]any)
	tenants, roles := []any{}, map[string]any{}
	for _, each := range listed {
		tenant, _ := each.(string)
		role, hasRole := given[tenant]
		change, isChanged := k.items[key{"member", user, tenant}]
		if isChanged && numberIn(claims, "tenants_version") < change.number {
			if change.role == nil {
				continue
			}
			role, hasRole = *change.role, true
		}
		if k.has("tenant", tenant) {
			continue
		}
		tenants = append(tenants, tenant)
		if hasRole {
			roles[tenant] = role
		}
	}
	claims = maps.Clone(claims)
	claims["tenants"] = tenants
	if hasRoles {
		claims["tenant_roles"] = roles
	}
	return claims, nil
}

// numberIn returns a number of the claims, or -1 if they lack it.
func numberIn(claims map[string]any, name string) int64 {
	if number, isNumber := claims[name].(float64); isNumber {
		return int64(number)
	}
	return -1
}
